package guard

import (
	"strings"

	"github.com/agentbash/agentbash/router"
	"github.com/agentbash/agentbash/router/policy"
)

// grantFor is what an action that may run is given. What only the mode lets run
// is given nothing: its tools' own rules see symbolic links, which the verdict
// does not.
func grantFor(e *Entry, w *policy.World) router.Grant {
	d := &e.Decision
	switch {
	case e.Approved == BySender:
		return router.Grant{Paths: []string{"/"}, Profile: router.FreeProfile}
	case e.Approved != "", d.Rule != "":
		byMode := policy.Decide(d.Mode, nil, &e.Verdict, w)
		grant := router.Grant{Paths: pathsOf(&e.Verdict, true)}
		if d.Mode == policy.AutoMode && byMode.Answer != policy.Allow {
			grant.Profile = router.FreeProfile
		}
		return grant
	case d.Mode == policy.FullMode:
		return router.Grant{Paths: pathsOf(&e.Verdict, false)}
	}
	return router.Grant{}
}

// pathsOf are the files that a verdict's calls of tools are known to touch, of
// those that are read only with reads.
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
