package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
)

// webServer is a small web for scripts: pages, and a search service of Tavily's
// form.
func webServer(atEnd func(func())) string {
	mux := http.NewServeMux()
	mux.HandleFunc("/page", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=iso-8859-1")
		io.WriteString(w, "<title>Caf\xe9</title><h1>Caf\xe9</h1><p>See <a href=/data>the data</a>.</p><script>alert(1)</script>")
	})
	mux.HandleFunc("/data", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"answer": 42}`)
	})
	mux.HandleFunc("/loop", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/loop", http.StatusFound) })
	mux.HandleFunc("POST /search", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tvly-0123456789" {
			w.WriteHeader(http.StatusUnauthorized)
			io.WriteString(w, `{"detail":{"error":"Unauthorized: missing or invalid API key."}}`)
			return
		}
		fmt.Fprintf(w, `{"query":"q","answer":null,"images":[],"results":[{"url":"http://%s/page","title":"The page","content":"It has the data.","score":0.9}],"response_time":0.5}`, r.Host)
	})
	s := httptest.NewServer(mux)
	atEnd(s.Close)
	return s.URL
}
