package policy

import "strings"

// onlyHelp reports whether the one argument asks for help or the version.
func (c *call) onlyHelp() bool {
	return len(c.args) == 1 && (c.args[0].text == "--help" || c.args[0].text == "--version")
}

// looksAtDisk reports whether it is certain that a disk is only looked at: by
// the options, none of which may be another one, or by the verb.
func (c *call) looksAtDisk() bool {
	if c.name == "btrfs" {
		return len(c.args) > 1 && containsField("filesystem fi subvolume device", c.args[0].text) && containsField("show usage df list stats", c.args[1].text)
	}
	options, verbs := diskLooks(c.name)
	sure, operands := false, 0
	for _, a := range c.args {
		switch {
		case !a.exact():
			return false
		case strings.HasPrefix(a.text, "-"):
			if !containsField(options, a.text) {
				return false
			}
			sure = sure || verbs == "" || a.text == "-l" || a.text == "--list"
		case verbs == "" || operands > 0 && c.name != "parted":
		default:
			if operands++; containsField(verbs, a.text) {
				sure = true
			} else if !strings.HasPrefix(a.text, "/") {
				return false
			}
		}
	}
	return sure
}

// diskLooks are the options and verbs with which a program for disks only
// looks.
func diskLooks(name string) (options, verbs string) {
	switch name {
	case "fdisk", "cfdisk", "gdisk":
		return "-l --list", ""
	case "sfdisk":
		return "-l --list -d --dump -J --json", ""
	case "sgdisk":
		return "-p --print", ""
	case "wipefs":
		return "-n --no-act -J -p", ""
	case "fsck", "e2fsck", "xfs_repair":
		return "-n -N", ""
	case "tune2fs":
		return "-l", ""
	case "hdparm":
		return "-I -i -g", ""
	case "losetup":
		return "-l -a --list --all", ""
	case "efibootmgr":
		return "-v", ""
	case "mdadm":
		return "--detail --examine -D -E --scan", ""
	case "parted":
		return "-l --list -s --script -m", "print"
	case "cryptsetup":
		return "", "status luksDump isLuks"
	case "zpool", "zfs":
		return "", "list status get history events iostat"
	case "nvme":
		return "", "list id-ctrl id-ns smart-log error-log"
	case "dmsetup":
		return "", "ls info status table deps"
	case "diskutil":
		return "", "list info"
	}
	return "", "\x00"
}
