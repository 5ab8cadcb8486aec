// Package network lets programs that have no network of their own reach the hosts
// that rules or a person allow, and no others.
//
// Such programs run in a network namespace with nothing in it but the listeners of a
// [Proxy]: an HTTP proxy for tools that know proxies ([Env] tells them), and a name
// server that gives every name an address of its own, at which transparent listeners
// wait for tools that do not. The listeners are made inside and served outside, so
// there is no route and no forwarder that could be tricked.
//
// # What is judged
//
// [Rules] say what is allowed and what is denied; what they do not know is asked
// about. A host is judged by its name before anybody is asked for its address: a name
// that is not allowed leaves the machine by no road. Names are compared in their
// ASCII form, lower case, without a trailing dot. A host that looks like a number but
// is no address (127.1, 0x7f.1, 0177.0.0.1) is refused, since resolvers disagree.
//
// The address that a name leads to is judged once more, at the moment in which it is
// connected to. One that is not public (this machine's, a private network's, a
// cloud's metadata, reserved, or an IPv6 form of these) is refused unless
//
//   - a rule or an approval names that address or a range that it is in, or
//   - the name is localhost or ends in .localhost, was itself allowed, and the
//     address is a loopback one.
//
// So a name of one's own network needs two rules, its own and its address's: whoever
// controls an allowed name must not choose what of this machine it stands for. The
// rule "*" names no address. Link-local (so a cloud's metadata), multicast and
// unspecified addresses are never asked about: only a rule allows them.
//
// # What is not
//
// Nothing is looked at inside TLS. Who may connect to a host may tell it anything, and
// where many sites share a host's addresses (a CDN), may name another site there than
// the one that was judged. Denying a name denies no address that it has. A connection
// that was allowed goes on until one of its ends closes it, also when what allowed it
// is taken back.
//
// Messages call the two lists network.allow and network.deny.
package network
