// Package manifests has a test alone: what agentbash batch prints is what Kubernetes and Nomad
// take. It is a module of its own, so that their types are none of the program's
// dependencies.
package manifests
