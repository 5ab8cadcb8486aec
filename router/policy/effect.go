package policy

// Effect is something that a command does to the world.
type Effect string

// The effects. A command that has none (echo, cd, true) touches nothing but
// the shell itself.
const (
	Read    Effect = "read"    // looks at files, processes or the system
	Write   Effect = "write"   // changes files
	Execute Effect = "execute" // runs code that is not in the line, or acts on processes and the system
	Network Effect = "network" // talks to other machines
	Unknown Effect = "unknown" // cannot be told, or not before it runs
)

// Danger is how bad the worst thing is that a command may do.
type Danger string

// The dangers. Confirm always asks, also where the mode or a rule would let the
// command run; Block is refused in every mode.
const (
	NoDanger Danger = ""
	Confirm  Danger = "confirm"
	Block    Danger = "block"
)

// worse reports whether d is a greater danger than other.
func (d Danger) worse(other Danger) bool {
	return d != other && (d == Block || other == NoDanger)
}

// effects is a set of them.
type effects uint8

const (
	reads effects = 1 << iota
	writes
	executes
	networks
	unknown
)

// runs is executes in a command's row where it executes code that is not in the line.
const runs effects = executes | 1<<7

// inOrder lists the effects by bit.
var inOrder = [...]Effect{Read, Write, Execute, Network, Unknown}

// list returns the set's members, never nil: it is an array in JSON.
func (e effects) list() []Effect {
	out := make([]Effect, 0, 5)
	for i, name := range inOrder {
		if e&(1<<i) != 0 {
			out = append(out, name)
		}
	}
	return out
}
