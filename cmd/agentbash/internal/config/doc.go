// Package config answers what a program was told: by flags, then by the
// environment, then by the project's file, then by the user's.
//
// [Load] reads JSON files and never runs anything to read them. A file that
// cannot be understood is an [Error] with its line and column; ${V} and
// ${V:-default} are expanded inside values, and a variable that is not set is an
// error too. The user's file is config.json below $XDG_CONFIG_HOME/agentbash.
// The project's is .agentbash/config.json, searched from the working directory
// up to the root of the repository, and the .mcp.json that MCP clients share.
//
// A project file comes with whatever was cloned, so it is not trusted: it may
// choose a model and it may tighten, that is switch tools off, choose a stricter
// mode, lower a limit. What it would start or send somewhere (servers,
// functions, a base URL, a key) is left out and listed in [Result.Pending], until the
// user approves that very content of that very file ([Approve]); one changed byte
// asks again. Approved or not, it never loosens.
//
// [FindLocal] looks for a model server on this machine, for those who
// configured nothing.
package config
