// Package confinement is what holds the commands that a model sends: which
// directories they may write, which files they may not read, which variables
// they see, and the sandbox that a mode of work promises.
//
// A [Workspace] is the list of directories and files that count: what may be
// written, what is protected, what is secret. [FindWorkspace] makes one for the
// directory that work begins in. It is used three times: commands are judged
// against [Workspace.World], the file tools, which run in this process, are held
// to [Confinement.Access], and what bash starts runs in the sandbox of
// [Confinement.Start], where the kernel holds it. There is a sandbox in the modes
// plan and auto only; in mode ask a person decides, in mode full nobody does.
//
// [CommandEnv] keeps secrets out of the environment of commands, in every mode,
// unless whoever sends them is trusted.
//
// The package judges no command and asks nobody: packages router/policy and
// router/guard do. Package session/sandbox makes the sandboxes.
package confinement
