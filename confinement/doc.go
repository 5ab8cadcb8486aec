// Package confinement is what holds the commands that a model sends: which
// directories they may write, which files they may not read, which variables
// they see, and the profiles that a mode of work promises.
//
// A [Workspace] is the list of directories and files that count: what may be
// written, what is protected, what is secret. [FindWorkspace] makes one for the
// directory that work begins in. It is used three times: commands are judged
// against [Workspace.World], the file tools, which run in this process, are held
// to [Confinement.Access], and bash runs in a sandbox, which [Confinement.Confine]
// changes to the profile that a command was granted: the kernel holds it there. In
// mode full, and for who is trusted, nothing is held.
//
// The network of the sandbox is the proxy of package confinement/network. Protected
// files that do not exist cannot be held; what commands make of them is taken out of
// the workspace. Caches are layers, whose changes stay inside.
//
// [CommandEnv] keeps secrets out of the environment of commands, in every mode,
// unless whoever sends them is trusted.
//
// The package judges no command and asks nobody: packages router/policy and
// router/guard do. Package session/sandbox makes the sandboxes.
package confinement
