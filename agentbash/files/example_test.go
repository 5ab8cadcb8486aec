//go:build linux

package files_test

import (
	"context"
	"fmt"
	"os"

	"github.com/agentbash/agentbash/agentbash/files"
	"github.com/agentbash/agentbash/registry"
)

func Example() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	tools := registry.New()
	if err := tools.Register(files.Tools(nil)...); err != nil {
		panic(err)
	}
	run := func(name string, kwargs registry.Kwargs) {
		fmt.Print(tools.Execute(context.Background(), name, kwargs, registry.InDir(dir)).Output)
	}
	run("write", registry.Kwargs{"file_path": "greeting.txt", "content": "hello\nworld\n"})
	run("edit", registry.Kwargs{"file_path": "greeting.txt", "old_string": "world", "new_string": "moon"})
	run("grep", registry.Kwargs{"pattern": "^m"})
	// Output:
	// created greeting.txt: 2 lines, 12 bytes, sha256 4a1e67f2fe1d1cc7
	// --- greeting.txt
	// +++ greeting.txt
	// @@ -1,2 +1,2 @@
	//  hello
	// -world
	// +moon
	// greeting.txt:2:moon
}
