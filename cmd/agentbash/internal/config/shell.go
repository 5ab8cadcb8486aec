package config

// Shell is how bash is run.
type Shell struct {
	BackgroundLimit float64 // seconds that a command may go on after its time limit; 0: an hour
	PromptCommand   bool    // PROMPT_COMMAND is run after each command
}

const (
	shellKeys      = "backgroundLimit promptCommand"
	backgroundLeft = 3600
)

func (s *source) decodeShell(v *value, take func(key string, into any), sh *Shell) []error {
	take("backgroundLimit", &sh.BackgroundLimit)
	take("promptCommand", &sh.PromptCommand)
	if sh.BackgroundLimit < 0 {
		return []error{s.errorAt(v.find("backgroundLimit").offset, "backgroundLimit", "it is below 0: give seconds, or leave it out for an hour")}
	}
	return nil
}

// takeShell takes over what one of the user's files says.
func (l *loader) takeShell(sh *Shell) {
	r := &l.result.Shell
	r.BackgroundLimit = firstSet(r.BackgroundLimit, sh.BackgroundLimit)
	r.PromptCommand = r.PromptCommand || sh.PromptCommand
}

// tightenShell takes what tightens from a project's file.
func (l *loader) tightenShell(f *file) {
	now := firstSet(l.result.Shell.BackgroundLimit, backgroundLeft)
	tightenLimit(l, f, "backgroundLimit", 0, &now, f.shell.BackgroundLimit)
	l.result.Shell.BackgroundLimit = now
	if f.shell.PromptCommand && !l.result.Shell.PromptCommand {
		l.warn(f.path, "promptCommand", "a project's file cannot have PROMPT_COMMAND run: set it in your own file")
	}
}
