package router

// Script returns a text for a bash other than the session's, such as one that a
// tool starts: each agent or field command in it has the name by which it reaches
// this router. PATH finds these names as long as the router is open.
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
