package main

import (
	"slices"
	"time"

	"github.com/urfave/cli/v3"

	"candor/agent"
)

// settings are what the serve command was told.
type settings struct {
	modelSettings
	toolSettings
	safety               safetySettings
	addr                 string
	tokensFile           string
	origins              []string
	reasoning            string // the most that AG-UI's front ends are shown
	patience             time.Duration
	sends, streams       int
	idle, grace          time.Duration
	logLevel, logFormat  string
	token                string // from the environment only: arguments are visible to all
	heartbeat, writeWait time.Duration
}

const serveDescription = `Runs the agent loop behind an HTTP API on the address given.

Without a token in CANDOR_TOKEN or --tokens one is made and printed, once.

The model is whichever the environment has a key or an address for: OPENAI_API_KEY
or OPENAI_BASE_URL (OpenAI, Ollama, vLLM, llama.cpp, OpenRouter, DeepSeek and all who
speak like them), or ANTHROPIC_API_KEY. Without any it is "offline": deterministic,
needs no key and no network, picks tools by the words of your message. "script"
replays the JSON file given with --script, the same for every message.

EXAMPLES
   candor serve --workspace ~/project
   CANDOR_TOKEN=$(openssl rand -hex 32) candor serve --addr 127.0.0.1:9000
   candor serve --tokens tokens.txt        # lines of user:token
   OPENAI_BASE_URL=http://127.0.0.1:11434/v1 candor serve --model qwen3:8b
   candor serve --enable shell --mcp mcp.json
   candor serve --provider script --script testdata/turns/parallel/script.json`

func serveFlags(s *settings) []cli.Flag {
	const access, limits, logs = "Access", "Limits", "Logs"
	return slices.Concat(modelFlags(&s.modelSettings), toolFlags(&s.toolSettings), safetyFlags(&s.safety), []cli.Flag{
		&cli.StringFlag{Name: "addr", Value: "127.0.0.1:8080", Usage: "listen on `HOST:PORT`",
			Sources: cli.EnvVars("CANDOR_ADDR"), Destination: &s.addr},
		&cli.DurationFlag{Name: "approval-timeout", Value: agent.DefaultApprovalTimeout, Usage: "reject a call that nobody approved within `TIME`",
			Sources: cli.EnvVars("CANDOR_APPROVAL_TIMEOUT"), Destination: &s.patience},
		&cli.DurationFlag{Name: "shutdown-timeout", Value: 10 * time.Second, Usage: "let turns go on for this `TIME` after SIGTERM",
			Sources: cli.EnvVars("CANDOR_SHUTDOWN_TIMEOUT"), Destination: &s.grace},

		&cli.StringFlag{Name: "tokens", Category: access, Usage: "let in the users of `FILE`, a line user:token each",
			Sources: cli.EnvVars("CANDOR_TOKENS"), Destination: &s.tokensFile},
		&cli.StringSliceFlag{Name: "cors-origin", Category: access, Usage: "let pages of `ORIGIN` call; may be repeated",
			Sources: cli.EnvVars("CANDOR_CORS_ORIGIN"), Destination: &s.origins},

		&cli.StringFlag{Name: "reasoning", Category: access, Value: "full", Usage: "show AG-UI's front ends at most `LEVEL`: full, summary or hidden",
			Sources: cli.EnvVars("CANDOR_REASONING"), Destination: &s.reasoning},

		&cli.IntFlag{Name: "sends-per-minute", Category: limits, Value: 30, Usage: "let a user send `N` messages a minute",
			Sources: cli.EnvVars("CANDOR_SENDS_PER_MINUTE"), Destination: &s.sends},
		&cli.IntFlag{Name: "max-streams", Category: limits, Value: 100, Usage: "let a user have `N` event streams open",
			Sources: cli.EnvVars("CANDOR_MAX_STREAMS"), Destination: &s.streams},
		&cli.DurationFlag{Name: "session-idle", Category: limits, Value: 7 * 24 * time.Hour, Usage: "drop a session that nobody used for this `TIME`",
			Sources: cli.EnvVars("CANDOR_SESSION_IDLE"), Destination: &s.idle},

		&cli.StringFlag{Name: "log-level", Category: logs, Value: "info", Usage: "log from `LEVEL` on: debug, info, warn or error",
			Sources: cli.EnvVars("CANDOR_LOG_LEVEL"), Destination: &s.logLevel},
		&cli.StringFlag{Name: "log-format", Category: logs, Value: "text", Usage: "log as `FORMAT`: text or json",
			Sources: cli.EnvVars("CANDOR_LOG_FORMAT"), Destination: &s.logFormat},
	})
}

func modelFlags(s *modelSettings) []cli.Flag {
	const category = "Model"
	return []cli.Flag{
		&cli.StringFlag{Name: "provider", Category: category, Usage: "take `NAME`: offline, script, openai or anthropic",
			Sources: cli.EnvVars("CANDOR_PROVIDER"), Destination: &s.provider},
		&cli.StringFlag{Name: "model", Category: category, Usage: "ask `MODEL`, as its provider names it",
			Sources: cli.EnvVars("CANDOR_MODEL"), Destination: &s.model},
		&cli.StringFlag{Name: "api", Category: category, Usage: "speak `API` with openai: chat, or responses, which has summaries",
			Sources: cli.EnvVars("CANDOR_API"), Destination: &s.api},
		&cli.StringFlag{Name: "effort", Category: category, Usage: "let the model reason with `EFFORT`: low, medium or high",
			Sources: cli.EnvVars("CANDOR_EFFORT"), Destination: &s.effort},
		&cli.StringFlag{Name: "reasons", Category: category, Usage: "make a reason a `KIND` argument of every call: required or optional (default: by the model)",
			Sources: cli.EnvVars("CANDOR_REASONS"), Destination: &s.reasons},
		&cli.BoolFlag{Name: "delegate", Category: category, Usage: "let the model hand tasks to another agent like it",
			Sources: cli.EnvVars("CANDOR_DELEGATE"), Destination: &s.delegate},
		&cli.StringFlag{Name: "script", Category: category, Usage: "replay `FILE` with the script provider",
			Sources: cli.EnvVars("CANDOR_SCRIPT"), Destination: &s.script},
	}
}

func toolFlags(s *toolSettings) []cli.Flag {
	const category = "Tools"
	return []cli.Flag{
		&cli.StringFlag{Name: "workspace", Value: ".", Category: category, Usage: "let file tools read `DIR` and nothing outside of it",
			Sources: cli.EnvVars("CANDOR_WORKSPACE"), Destination: &s.workspace},
		&cli.StringSliceFlag{Name: "enable", Category: category, Usage: "offer `TOOL`, which is off otherwise: shell (asks each time) or http_get; may be repeated",
			Sources: cli.EnvVars("CANDOR_ENABLE"), Destination: &s.enable},
		&cli.StringFlag{Name: "mcp", Category: category, Usage: "offer the tools of the MCP servers in `FILE`, of the shape {\"mcpServers\": {…}}",
			Sources: cli.EnvVars("CANDOR_MCP"), Destination: &s.mcpConfig},
		&cli.StringSliceFlag{Name: "approve", Category: category, Usage: "ask a person before a tool runs, as `TOOL=MODE`: never, ask or always; may be repeated",
			Sources: cli.EnvVars("CANDOR_APPROVE"), Destination: &s.approve},
		&cli.StringSliceFlag{Name: "deny", Category: category, Usage: "reject every call of `TOOL`; may be repeated",
			Sources: cli.EnvVars("CANDOR_DENY"), Destination: &s.deny},
	}
}
