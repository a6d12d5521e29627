package app

import "time"

// Settings describe a server, or an agent alone. The zero value of a field means its
// default, except for Tools.Workspace, which must name a folder.
type Settings struct {
	Model  ModelSettings
	Tools  ToolSettings
	Safety SafetySettings

	Reasoning       string        // the most that AG-UI front ends may see: full, summary or hidden; "" means full
	ApprovalTimeout time.Duration // a call that nobody decides on within this time is rejected
	Origins         []string      // web origins that may call the API, besides the server's own
	SendsPerMinute  int           // messages per user
	StreamsPerUser  int           // event streams open at once
	Heartbeat       time.Duration // longest silence on a stream
	WriteTimeout    time.Duration // how long a stream's client may stop reading before it is cut off
}

// ModelSettings choose the model. Keys and addresses of providers come from the
// environment only, because every user of a machine can read a program's arguments.
type ModelSettings struct {
	Provider string // offline, script, openai or anthropic; "" means whichever the environment configures
	Name     string // as the provider names it; "" means the environment's, else a default
	Script   string // the file that the script provider replays
	API      string // chat or responses, for openai
	Effort   string // of reasoning: low, medium or high; "" leaves it to the provider
	Delegate bool   // let the model hand tasks to a second agent on the same model
	Reasons  string // required or optional: the rationale argument of every call; "" decides by the model
}

// ToolSettings choose what a model may call.
type ToolSettings struct {
	Workspace string   // the folder that file tools may read; nothing outside of it is reachable
	Deny      []string // tools whose every call is rejected
	Approve   []string // TOOL=MODE, MODE being never, ask or always
	Enable    []string // built-in tools that are off by default: shell, http_get
	MCPConfig string   // a JSON file of MCP servers; "" means none
}

// SafetySettings choose what the safety layer masks besides what it recognizes.
type SafetySettings struct {
	PolicyFile  string   // replaces the default policy
	SecretsFile string   // one known secret a line
	SecretEnv   []string // environment variables whose values are secrets
}
