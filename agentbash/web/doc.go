// Package web holds the tools that reach the web: web_fetch, which prints a
// page as Markdown, and web_search.
//
// web_fetch takes http and https alone and talks to public addresses only: the
// address is looked at when the connection is made, so that neither a redirect
// nor a name that changes its mind gets past it. Time, redirects and size,
// after decompression, are bounded, and nothing is run or kept: no scripts, no
// cookies.
//
// web_search asks the service that was configured, Tavily or a SearXNG server.
package web
