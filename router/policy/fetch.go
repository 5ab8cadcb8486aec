package policy

import "strings"

// What comes over the network, and what goes there.

// download notes the files that addresses are fetched to.
func (u *usage) download() {
	urls, dir := u.operands, ""
	for _, o := range u.opts {
		switch {
		case o.name == "--url":
			urls = append(urls, o.value)
		case o.name == "-P" && u.name != "curl", o.name == "--directory-prefix":
			dir = o.value.text + "/"
		}
	}
	for _, f := range urls {
		name := f.text
		if i := strings.IndexAny(name, "?#"); i >= 0 {
			name = name[:i]
		}
		if name = dir + lastOf(name); name == "" {
			name = "index.html"
		}
		g := field{text: name, at: f.at, from: -1}
		u.write(g)
		u.j.keepFile(g, value{fromNet}, false)
	}
}
