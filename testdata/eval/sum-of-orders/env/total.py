import csv
total = 0
for row in csv.DictReader(open('orders.csv')):
    total += float(row['price']) + int(row['count'])
print(total)
