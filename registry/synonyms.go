package registry

import (
	"strings"
	"sync"
)

// stopWords say nothing of what is looked for.
const stopWords = " a an the of to in on at for from with by and or is are be was it its this that what which who how do does can could i me my we our you your some any please want need there as into over use used using when if not no all "

// synonymLines are words that are typed for each other, those of a line for all others in it.
const synonymLines = `
create new add make open write insert start post
delete remove drop erase destroy clear forget
get fetch read retrieve show view display see open
list show enumerate all get
find search query look lookup locate
update edit change modify patch replace set
move rename
run execute exec launch invoke command start
stop end kill terminate cancel close abort quit
copy duplicate clone
send post message publish
upload attach
download fetch pull clone
url link address website site page web uri
website site web page
directory folder dir path
file document
repository repo project
pr pull
issue ticket bug
comment reply note
memory knowledge graph remember entity observation fact
remember store save memory create add
database db table sql collection
document record row
postgres postgresql sql
mongo mongodb
kubernetes k8s kubectl pod cluster
picture image photo screenshot
browser page tab
type enter input fill
shell terminal console command bash process
error log exception message
sum add plus total
person user people member
channel room
compress zip gzip
undo revert reset restore
difference diff compare
javascript js script
paper article
docs documentation
size length stat
`

// synonyms are the stems that stand for a stem.
var synonyms = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for line := range strings.Lines(synonymLines) {
		words := searchWords(line)
		for _, word := range words {
			all[word] = append(all[word], words...)
		}
	}
	return all
})
