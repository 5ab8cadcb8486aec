package files

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"github.com/agentbash/agentbash/internal/quote"
	"github.com/agentbash/agentbash/registry"
)

var lineSuffix = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(.+?):([1-9]\d{0,8})(?:-(\d{1,9})|:\d+)?:?$`) })

// lineRange takes apart a name with line numbers, as compilers and grep print it: f.go:3, f.go:3:7,
// f.go:3-9. last is 0 where it has none.
func lineRange(path string) (name string, first, last int) {
	m := lineSuffix().FindStringSubmatch(path)
	if m == nil {
		return "", 0, 0
	}
	first, _ = strconv.Atoi(m[2])
	last, _ = strconv.Atoi(m[3])
	return m[1], first, last
}

// adviseLines adds to the error of a name that is a number what may have been meant.
func adviseLines(call *registry.Call, path string, err error) error {
	if _, numberErr := strconv.Atoi(path); numberErr != nil || !call.Has("more_files") {
		return err
	}
	return fmt.Errorf("%w; for lines: read %s --offset N --limit COUNT", err, quote.Word(call.String("file_path")))
}

// readUses are the files that are read; of a name with line numbers also the one without.
func readUses(k registry.Kwargs, uses []registry.Use, known bool) ([]registry.Use, bool) {
	for _, u := range uses {
		if name, _, _ := lineRange(u.Value); name != "" {
			uses = append(uses, registry.Use{Role: u.Role, Value: name})
		}
	}
	return notStdin(k, uses, known)
}
