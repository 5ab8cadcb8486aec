package term

// menu is what a word that is being typed may become, shown below the prompt.
type menu struct {
	completion
	open   bool
	chosen int // -1: none yet
}

// refresh shows what has come to be known.
func (e *editor) refresh() error {
	if e.menu.open && e.menu.chosen < 0 {
		e.menu.completion = e.offer(e.text.text, e.text.cursor)
	}
	return e.show()
}

// menuRows bounds how many options are shown.
const menuRows = 8

// menuKey takes a key that chooses. Enter takes what was chosen with the arrows.
func (e *editor) menuKey(k key) bool {
	m := &e.menu
	n := min(len(m.options), menuRows)
	if n == 0 {
		return false
	}
	switch {
	case k.name == keyDown:
		m.chosen = (m.chosen + 1) % n
	case k.name == keyUp && m.chosen >= 0:
		m.chosen = (m.chosen + n - 1) % n
	case k.name == keyEscape && m.chosen >= 0:
		e.menu = menu{}
	case k.name == keyTab || k.name == keyEnter && m.chosen >= 0:
		was := bufferState{e.text.text, e.text.cursor}
		e.text.remove(m.from, e.text.cursor)
		e.text.insert(m.options[max(m.chosen, 0)] + " ")
		e.text.keep(was)
		e.menu = menu{}
	default:
		return false
	}
	return true
}

// menuRows are the rows of the menu.
func (e *editor) menuRows(look palette, width int) (rows []string) {
	for i, o := range e.menu.options[:min(len(e.menu.options), menuRows)] {
		mark, st := "  ", dim
		if i == e.menu.chosen {
			mark, st = "> ", bold
		}
		rows = append(rows, look.paint(clipColumns(mark+safeLine(o), width), st))
	}
	return rows
}
