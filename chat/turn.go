package chat

// TurnBeginner is a [Runner] that wants to know when a turn begins.
type TurnBeginner interface{ BeginTurn() }

func (c *Conversation) beginTurn() {
	if b, ok := c.opts.Runner.(TurnBeginner); ok {
		b.BeginTurn()
	}
}
