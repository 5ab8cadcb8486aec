// Package confinement is what holds the commands that a model sends: which
// directories they may write, which files they may not read, which variables
// they see, and the sandbox that a mode of work promises.
//
// A [Workspace] says what counts for a directory that work begins in:
// [FindWorkspace] looks at the file system once. Three take it from there. The
// judge of command lines has it as [Workspace.World]; the file tools, which run
// in this process, are held to [Confinement.Access]; and what bash starts is
// held by the kernel, in the sandbox of [Confinement.Start]. In the modes plan
// and auto there is one, where the kernel can; in ask a person decides, and in
// full nobody. [CommandEnv] keeps secrets out of the environment in all of them,
// unless whoever sends the commands is trusted.
//
// The package judges nothing and asks nobody: that is router/policy's and
// router/guard's. A sandbox is a process of this executable, started anew by
// package session/sandbox.
package confinement
