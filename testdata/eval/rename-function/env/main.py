from users import get_user

print('get_user gives', get_user(3)['id'])
