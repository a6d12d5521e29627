package command

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/urfave/cli/v3"

	"candor/agent"
	"candor/cmd/candor/app"
)

// The flags that several commands share. Each function binds its flags to one struct,
// so that a flag has one name, one help text and one environment variable everywhere.

// modelFlags binds the flags that choose a model, for serve, chat and worker. All are
// empty by default, which leaves the choice to the environment; app.ModelSettings says
// what each means. Keys have no flag.
func modelFlags(s *app.ModelSettings) []cli.Flag {
	const category = "Model"
	return append(confidenceFlags(&s.Confidence), []cli.Flag{
		&cli.StringFlag{Name: "provider", Category: category,
			Usage:   "use the provider `NAME`: offline, script, openai or anthropic",
			Sources: cli.EnvVars("CANDOR_PROVIDER"), Destination: &s.Provider},
		&cli.StringFlag{Name: "model", Category: category, Usage: "use `MODEL`, by the name that its provider uses",
			Sources: cli.EnvVars("CANDOR_MODEL"), Destination: &s.Name},
		&cli.StringFlag{Name: "api", Category: category,
			Usage:   "use `API` with openai: chat, or responses, which has reasoning summaries",
			Sources: cli.EnvVars("CANDOR_API"), Destination: &s.API},
		&cli.StringFlag{Name: "effort", Category: category,
			Usage:   "set the model's reasoning effort to `EFFORT`: low, medium or high",
			Sources: cli.EnvVars("CANDOR_EFFORT"), Destination: &s.Effort},
		&cli.StringFlag{Name: "reasons", Category: category,
			Usage:   "make a reason a `KIND` argument of every call: required or optional (default: by the model)",
			Sources: cli.EnvVars("CANDOR_REASONS"), Destination: &s.Reasons},
		&cli.StringFlag{Name: "prices", Category: category,
			Usage:   "show what turns cost, by the model prices in `FILE`",
			Sources: cli.EnvVars("CANDOR_PRICES"), Destination: &s.Prices},
		&cli.BoolFlag{Name: "delegate", Category: category, Usage: "let the model hand tasks to sub-agents like itself",
			Sources: cli.EnvVars("CANDOR_DELEGATE"), Destination: &s.Delegate},
		&cli.StringFlag{Name: "script", Category: category, Usage: "replay `FILE` with the script provider",
			Sources: cli.EnvVars("CANDOR_SCRIPT"), Destination: &s.Script},
	}...)
}

// confidenceFlags binds the flags that say what becomes of calls of which a model is not sure.
// By default no model is asked, so the schemas of tools stay as they are.
func confidenceFlags(s *app.ConfidenceSettings) []cli.Flag {
	const category = "Confidence"
	return []cli.Flag{
		&cli.BoolFlag{Name: "confidence", Category: category,
			Usage:   "ask the model how sure it is of each call, and offer it the tool decide",
			Sources: cli.EnvVars("CANDOR_CONFIDENCE"), Destination: &s.Ask},
		&cli.FloatFlag{Name: "confidence-threshold", Category: category, Value: agent.DefaultThreshold,
			Usage:   "treat a call as unsure if its confidence is below `NUMBER`, from 0 to 1",
			Sources: cli.EnvVars("CANDOR_CONFIDENCE_THRESHOLD"),
			Action: func(_ context.Context, _ *cli.Command, threshold float64) error {
				s.Threshold = &threshold
				return nil
			}},
		&cli.StringFlag{Name: "low-confidence", Category: category, Value: "ask",
			Usage:   "handle an unsure call by `WAY`: ask (a person), continue, or orchestrator (which also asks)",
			Sources: cli.EnvVars("CANDOR_LOW_CONFIDENCE"), Destination: &s.Low},
	}
}

// toolFlags binds the flags that choose what a model may call, for serve, chat and
// worker. The default is the working directory as workspace and the built-in tools that
// read it: a tool that runs programs or reaches the network has to be enabled.
func toolFlags(s *app.ToolSettings) []cli.Flag {
	const category = "Tools"
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Value: ".", Category: category,
			Usage:   "let file tools read only inside `DIR`",
			Sources: cli.EnvVars("CANDOR_WORKSPACE"), Destination: &s.Workspace},
		&cli.StringSliceFlag{Name: "enable", Category: category,
			Usage:   "enable `TOOL`, which is off by default: shell (asks each time) or http_get; may be repeated",
			Sources: cli.EnvVars("CANDOR_ENABLE"), Destination: &s.Enable},
		&cli.StringFlag{Name: "mcp", Category: category,
			Usage:   "offer the tools of the MCP servers in `FILE`, which has the form {\"mcpServers\": {…}}",
			Sources: cli.EnvVars("CANDOR_MCP"), Destination: &s.MCPConfig},
		&cli.DurationFlag{Name: "mcp-timeout", Value: app.DefaultMCPTimeout, Category: category,
			Usage:   "end a call of an MCP server after `TIME`, unless the file sets its callTimeout",
			Sources: cli.EnvVars("CANDOR_MCP_TIMEOUT"), Destination: &s.MCPTimeout},
		&cli.StringSliceFlag{Name: "approve", Category: category,
			Usage:   "ask a person before a tool runs, as `TOOL=MODE`: never, ask or always; may be repeated",
			Sources: cli.EnvVars("CANDOR_APPROVE"), Destination: &s.Approve},
		&cli.StringSliceFlag{Name: "deny", Category: category,
			Usage:   "reject every call of `TOOL`, or of one MCP server's SERVER/TOOL; may be repeated",
			Sources: cli.EnvVars("CANDOR_DENY"), Destination: &s.Deny},
	}
}

// safetyFlags binds the flags that choose what is masked, for serve, chat, worker and
// scan. Without them the layer masks what it recognizes by its shape, and the model's
// keys; a secret without a recognizable shape has to be listed.
func safetyFlags(s *app.SafetySettings) []cli.Flag {
	const category = "Safety"
	return []cli.Flag{
		&cli.StringFlag{Name: "secrets-file", Category: category,
			Usage:   "mask the values in `FILE`, one per line, wherever they occur",
			Sources: cli.EnvVars("CANDOR_SECRETS_FILE"), Destination: &s.SecretsFile},
		&cli.StringSliceFlag{Name: "secret-env", Category: category,
			Usage:   "mask the value of the environment variable `NAME`; may be repeated",
			Sources: cli.EnvVars("CANDOR_SECRET_ENV"), Destination: &s.SecretEnv},
		&cli.StringFlag{Name: "policy", Category: category, Usage: "replace the policy's rules with those in `FILE`",
			Sources: cli.EnvVars("CANDOR_POLICY"), Destination: &s.PolicyFile},
	}
}

// logSettings say what is logged to standard error.
type logSettings struct {
	level  string // the lowest level that is logged: debug, info (the default), warn or error
	format string // text (the default) for people, json for machines
}

// logFlags binds the flags of logging to standard error.
func logFlags(s *logSettings) []cli.Flag {
	const category = "Logs"
	return []cli.Flag{
		&cli.StringFlag{Name: "log-level", Category: category, Value: "info",
			Usage:   "log messages of `LEVEL` and above: debug, info, warn or error",
			Sources: cli.EnvVars("CANDOR_LOG_LEVEL"), Destination: &s.level},
		&cli.StringFlag{Name: "log-format", Category: category, Value: "text", Usage: "log as `FORMAT`: text or json",
			Sources: cli.EnvVars("CANDOR_LOG_FORMAT"), Destination: &s.format},
	}
}

// logger returns a logger that writes to w. It fails if the level or the format is
// unknown, so that a typing error does not silence the log.
func (s logSettings) logger(w io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.level)); err != nil {
		return nil, fmt.Errorf("--log-level: %q is not debug, info, warn or error", s.level)
	}
	o := &slog.HandlerOptions{Level: level}
	switch s.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, o)), nil
	}
	return nil, fmt.Errorf("--log-format: %q is neither text nor json", s.format)
}
