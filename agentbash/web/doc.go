// Package web holds the tools that reach the web: web_fetch, which prints what a
// page is about as Markdown, and web_search.
//
// web_fetch takes http and https alone and talks to public addresses only: the
// address is looked at when the connection is made, so that neither a redirect
// nor a name that changes its mind gets past it. Time, redirects and size,
// after decompression, are bounded, and nothing is run: no scripts, no cookies.
// Pages are kept in memory for a while.
//
// web_search asks one of the services of the table in search.go: the one that was
// configured, else one that has a key, else DuckDuckGo.
package web
