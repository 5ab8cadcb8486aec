package remote

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agentbash/agentbash/registry"
	"github.com/agentbash/agentbash/router"
)

// OnTool is the command `on TARGET 'COMMAND'`. Its targets are those that the user has named; with
// nil it only reads words, and names says what there are.
func OnTool(targets *Targets, names []string) *registry.Tool {
	detail := "Each target has a shell of its own, which stays: directory, variables, jobs. What is piped in is the command's stdin, all of it: in a while-read loop give it < /dev/null.\nTargets: " + strings.Join(names, ", ")
	return &registry.Tool{
		Name: "on", Category: "targets", Kind: registry.ReadOnly, // the other machine judges the command, and this side is asked
		Summary:  "run a command on another machine or in a container that the user has named",
		Detail:   detail,
		Tags:     []string{"ssh", "remote", "host", "container", "docker"},
		Examples: []string{"on web1 'uptime'", "on web1 'cat /var/log/syslog' | grep error", "for h in web1 web2; do on $h 'df -h /'; done"},
		Params: registry.NewParams(
			registry.Param{Name: "target", Type: registry.String, Required: true, Description: "where"},
			registry.Param{Name: "command", Type: registry.String, Required: true, Description: "a bash command, in quotes; agent commands work there too"},
			registry.Param{Name: "timeout", Type: registry.Integer, Description: "seconds; 120 if not given"},
		),
		Uses: func(registry.Kwargs, []registry.Use, bool) ([]registry.Use, bool) { return nil, true },
		Run: func(ctx context.Context, call *registry.Call) (registry.ToolResult, error) {
			name := call.String("target")
			if names := targets.Names(); !slices.Contains(names, name) {
				return registry.Failure("%s is no target that the user has named: there are %s; the user adds one with \"targets\": {\"NAME\": \"ssh:HOST\"} in their config file", name, strings.Join(names, ", ")), nil
			}
			c, done, err := targets.take(name, comesFrom(ctx))
			if err != nil {
				return registry.ToolResult{}, err
			}
			defer done()
			res := c.RunWith(ctx, call.String("command"), call.Stdin, &router.RunOptions{Timeout: time.Duration(call.Int("timeout")) * time.Second, Stdout: call.Stdout, Stderr: call.Stderr})
			if res.Restarted || res.Running > 0 || res.TimedOut {
				fmt.Fprintln(call.Stderr, firstLine(res))
			}
			return registry.ToolResult{Success: res.Success, ExitStatus: res.ExitCode}, nil
		},
	}
}

// firstLine is what a result says besides its streams.
func firstLine(res router.Result) string {
	if res.Restarted {
		line, _, _ := strings.Cut(res.Output, "\n")
		return line
	}
	return res.Error
}
