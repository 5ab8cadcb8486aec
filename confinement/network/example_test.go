package network_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"

	"github.com/agentbash/agentbash/confinement/network"
)

// A program that only knows the proxy asks for a host that nobody allowed.
func Example() {
	rules, err := network.ParseRules([]string{"modules.example.com", "*.packages.example.org:443"}, []string{"old.packages.example.org"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(rules.Judge("new.packages.example.org", 443) == network.Allowed, rules.Judge("old.packages.example.org", 443) == network.Denied)

	inside, err := net.Listen("tcp", "127.0.0.1:0") // in a network namespace
	if err != nil {
		fmt.Println(err)
		return
	}
	proxy := network.New(&network.Options{Rules: rules})
	defer proxy.Close()
	proxy.Serve(network.Listeners{HTTP: inside})
	proxy.SetOpen(true)

	at := &url.URL{Scheme: "http", Host: inside.Addr().String()} // as the variables of network.Env say
	client := &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(at), DisableKeepAlives: true}}
	res, err := client.Get("http://elsewhere.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d %s", res.StatusCode, text)
	for _, r := range proxy.Refusals() {
		fmt.Println(r.Host, r.Port)
	}
	// Output:
	// true true
	// 403 agentbash: the network refuses elsewhere.example:80: nobody allowed it: "elsewhere.example" in network.allow allows it
	// elsewhere.example 80
}
