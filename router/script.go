package router

// Script is what a bash of its own is given of a text, one that a tool starts,
// say: each agent or field command in it by the name that reaches this router.
// PATH finds those for as long as the router is open.
func (r *Router) Script(text string) string {
	if names := r.names.Load(); names.occurs(text) {
		p := PlanNative(text)
		p.splice(names)
		text = p.Script
	}
	if r.host != nil {
		r.host.links.addWords(text) // one that could not be linked is bash's to report
	}
	return text
}
