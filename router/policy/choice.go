package policy

// choice enumerates what may be: expansion picks one of several values, and is run again until each had its turn.
type choice struct {
	made  []int          // what was picked, in order
	of    []int          // of how many
	at    int            // how many of them were asked for this time
	open  int            // how often what came out depends on one
	names map[string]int // the lists of variables that were picked this time
	outs  map[any]value  // what the substitutions of the word write: they are walked once
}

// maxChoices bounds the combinations that are tried, and the command lines that a simple command may become.
const maxChoices = 24

// eachChoice runs try for every combination of what it picks; false if they are too many.
func (j *judge) eachChoice(try func(c *choice)) (all bool) {
	outer := j.choice
	c := &choice{names: map[string]int{}, outs: map[any]value{}}
	j.choice = c
	defer func() { j.choice = outer }()
	for range maxChoices {
		c.at = 0
		clear(c.names)
		try(c)
		n := len(c.made) - 1
		for n >= 0 && c.made[n]+1 == c.of[n] {
			n--
		}
		if n < 0 {
			return true
		}
		c.made, c.of = c.made[:n+1], c.of[:n+1]
		c.made[n]++
	}
	return false
}

// pick returns which of n to take this time.
func (j *judge) pick(n int) int {
	c := j.choice
	if n < 2 || c == nil {
		return 0
	}
	if c.at == len(c.made) {
		c.made, c.of = append(c.made, 0), append(c.of, n)
	}
	c.at++
	c.open++
	return c.made[c.at-1]
}

// pickOf returns one of the texts of a value, "" where there is none.
func (j *judge) pickOf(v value) string {
	if len(v) == 0 {
		return ""
	}
	return v[j.pick(len(v))]
}

// pickList returns one of the lists that a variable may have.
func (j *judge) pickList(name string, v variable) string {
	n, ok := j.choice.names[name]
	if !ok || n >= len(v.lists) {
		n = j.pick(len(v.lists))
		j.choice.names[name] = n
	}
	j.choice.open += len(v.lists) - 1
	return v.lists[n]
}
