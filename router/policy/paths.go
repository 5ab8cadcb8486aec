package policy

import (
	"path"
	"strings"
)

// clean makes a path as short as it can be. Holes stay.
func clean(p string) string { return path.Clean(p) }

// resolve returns the absolute paths that a file name may mean, one for each
// directory the shell may be in. One whose beginning is not known stays as it
// is.
func (j *judge) resolve(name string) []string {
	if name == "" {
		return nil
	}
	if wild(name) && strings.Contains(name, "..") {
		return []string{anyText} // what .. takes away cannot be told
	}
	if name[0] == '/' {
		return []string{clean(name)}
	}
	if name[0] == hole && wild(name[:2]) {
		return []string{name}
	}
	out := make([]string, 0, len(j.env.dirs))
	for _, d := range j.env.dirs {
		switch {
		case wild(d) && strings.Contains(name, ".."):
			out = append(out, anyText)
		case name == ".":
			out = append(out, d)
		default:
			out = append(out, clean(d+"/"+name))
		}
	}
	return out
}

// path notes that a part reads or writes a file, with everything below it when
// tree is set.
func (j *judge) path(p *Part, f field, write, tree bool) {
	name := f.text
	if f.glob {
		name = f.asName()
	}
	if f.multi {
		name = anyText
	}
	for _, abs := range j.resolve(name) {
		place := j.place(abs)
		if j.climbs(name) && write && place != Harmless {
			place = Nowhere
		}
		if place == Harmless {
			p.set |= reads
			continue
		}
		p.Paths = append(p.Paths, Path{Path: show(abs), Write: write, Tree: tree, Place: place, raw: abs})
		if !write {
			p.set |= reads
			continue
		}
		j.writing(p, abs, place, f.at)
	}
}

// climbs reports whether a name goes down and up again: where that leads
// depends on symbolic links, which cannot be seen here.
func (j *judge) climbs(name string) bool {
	i := strings.Index(name, "/..")
	if i < 0 {
		return false
	}
	for _, c := range strings.Split(name, "/") {
		if c != ".." && c != "." && c != "" {
			return strings.Contains(name[strings.Index(name, c):], "/..")
		}
	}
	return false
}

// writing notes that a file is changed, and how bad that is.
func (j *judge) writing(p *Part, abs string, place Place, at span) {
	p.set |= writes
	text := "writes " + j.short(abs)
	if place == Nowhere {
		p.set |= unknown
		j.reason("writes a file that cannot be told: "+show(abs), unknown, NoDanger, at)
	} else {
		j.reason(text, writes, NoDanger, at)
	}
	if why := device(abs); why != "" {
		j.danger(p, Block, "overwrites "+why, at)
	} else if why := j.protected(abs); why != "" {
		j.danger(p, Confirm, text+": "+why, at)
	}
}

// danger raises a part.
func (j *judge) danger(p *Part, d Danger, why string, at span) {
	if d.worse(p.Danger) {
		p.Danger = d
	}
	j.reason(why, 0, d, at)
}

// short is how a path is shown: relative to the home or first root it is in.
func (j *judge) short(abs string) string {
	if rest, ok := below(abs, j.world.Dir); ok && rest != "" && j.world.Dir != "" && j.world.Dir != "/" {
		return show(rest)
	}
	if rest, ok := below(abs, j.world.Home); ok && j.world.Home != "" && j.world.Home != "/" {
		return show(strings.TrimSuffix("~/"+rest, "/"))
	}
	return show(abs)
}

// below reports whether p is dir or lies in it, and returns the rest.
func below(p, dir string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(p, strings.TrimSuffix(dir, "/"))
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return strings.TrimPrefix(rest, "/"), true
}

// place tells where an absolute path lies.
func (j *judge) place(abs string) Place {
	if isHarmless(abs) {
		return Harmless
	}
	if abs == "" || abs[0] != '/' || wild(abs) {
		return Nowhere
	}
	for _, r := range j.world.roots() {
		if _, ok := below(abs, clean(r)); ok {
			return Inside
		}
	}
	for _, r := range j.world.Scratch {
		if _, ok := below(abs, clean(r)); ok {
			return Scratch
		}
	}
	return Outside
}

// isHarmless reports whether writing a path changes nothing: what is written
// is dropped, or goes where the command's output goes anyway.
func isHarmless(abs string) bool {
	rest, ok := strings.CutPrefix(abs, "/dev/")
	if !ok {
		rest, ok = strings.CutPrefix(abs, "/proc/self/fd/")
		return ok && (rest == digits || strings.Trim(rest, "0123456789") == "")
	}
	switch rest {
	case "null", "zero", "full", "stdin", "stdout", "stderr", "tty", "random", "urandom":
		return true
	}
	rest, ok = strings.CutPrefix(rest, "fd/")
	return ok && !strings.Contains(rest, "/")
}

// device returns what a path is if writing it destroys a disk or the memory.
func device(abs string) string {
	if strings.HasPrefix(abs, "/proc/sysrq-trigger") {
		return "the running system (" + show(abs) + ")"
	}
	rest, ok := strings.CutPrefix(abs, "/dev/")
	if !ok {
		return ""
	}
	switch {
	case rest == "mem" || rest == "kmem" || rest == "port":
		return "the memory (" + abs + ")"
	case strings.HasPrefix(rest, "disk/") || strings.HasPrefix(rest, "mapper/"):
		return "the disk " + show(abs)
	}
	for _, disk := range [...]string{"sd", "hd", "vd", "xvd", "nvme", "mmcblk", "md", "dm-", "loop", "nbd", "rbd", "zd", "zram", "pmem", "disk", "rdisk", "bcache", "drbd", "mtd", "ubi", "sr", "st"} {
		if tail, ok := strings.CutPrefix(rest, disk); ok && isDiskTail(tail) {
			return "the disk " + show(abs)
		}
	}
	return ""
}

// isDiskTail reports whether what follows a disk driver's prefix may be the
// number or letter of a disk: a, a1, 0n1p2.
func isDiskTail(s string) bool {
	return s != "" && !strings.Contains(s, "/") && (len(s) <= 3 || '0' <= s[0] && s[0] <= '9' || s[0] == hole)
}
