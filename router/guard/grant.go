package guard

import (
	"strings"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// grantFor is what an action that may run is given: where the decision lets it
// run. What only the mode lets run is given no files: its tools' own rules see
// symbolic links, which the verdict does not.
func grantFor(e *Entry) router.Grant {
	d := &e.Decision
	grant := router.Grant{Profile: d.Profile, Hosts: d.Hosts}
	switch {
	case e.Approved == BySender:
		grant.Paths = []string{"/"}
	case e.Approved != "" || d.Rule != "":
		grant.Paths = pathsOf(&e.Verdict, true)
	case d.Mode == policy.FullMode:
		grant.Paths = pathsOf(&e.Verdict, false)
	}
	return grant
}

// pathsOf are the files that a verdict's calls of tools are known to touch, with reads those read, too.
func pathsOf(v *policy.Verdict, reads bool) (paths []string) {
	for i := range v.Parts {
		if v.Parts[i].Kind != policy.ToolPart {
			continue
		}
		for _, p := range v.Parts[i].Paths {
			if (p.Write || reads) && p.Place != policy.Nowhere && !strings.Contains(p.Path, "…") {
				paths = append(paths, p.Path)
			}
		}
	}
	return paths
}
