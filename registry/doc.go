// Package registry holds what a command can call: tools with a JSON Schema,
// and the one grammar by which a command's words become their kwargs.
//
// A [Tool] takes kwargs, never argv. [Tool.Parse] turns the words after a
// command's name into kwargs, driven by the tool's [Params]: it coerces by the
// declared type, gathers every error at once, and runs nothing.
// [Tool.Bind] does the same for values that Go code or JSON has at hand.
// [Tool.UsesOf] tells from the kwargs, before anything runs, which files a call
// reads and changes, what it runs and whom it contacts, by the [Role] of each
// parameter. [Tool.Invoke] runs the tool and turns whatever happens, a panic
// included, into a [ToolResult].
//
// A [ToolRegistry] is where tools are found: by name, category, tag, kind or
// words. [ToolRegistry.Execute] binds, runs and collects in one call. Tools that
// have to be asked for first (an MCP server's) come as a [Group], which is loaded
// when one of its names is needed and not before.
//
// What values a call takes from files and stdin is read by [Call.ReadPending], when it
// runs. The package knows nothing of bash or of MCP.
package registry
