package app

import (
	"time"

	"candor/agent/tool/mcp"
	"candor/cmd/candor/secret"
)

// DefaultMCPTimeout is how long a call of an MCP server's tool may take.
const DefaultMCPTimeout = mcp.DefaultCallTimeout

// Settings describe a server, or an agent alone. The zero value of a field means its
// default, except for Tools.Workspace, which must name a folder.
type Settings struct {
	Model  ModelSettings
	Tools  ToolSettings
	Safety SafetySettings
	MEW    MEWSettings
	OTLP   OTLPSettings

	Version string // of the program, as collectors and the status route are told it; may be empty

	// Key is the secret of the deployment, with which what one server gave out is honoured by the
	// next and by each replica. Without one the app makes its own, which ends with it.
	Key secret.Key

	Storage StorageSettings

	// Reasoning is the most that clients of AG-UI and OpenWOP may see: full (the default), summary or
	// hidden. It does not restrict the API, whose users see everything of their own.
	Reasoning string

	// OpenWOPFixtures lets clients of OpenWOP run the workflows that exist for tests of clients.
	OpenWOPFixtures bool

	// WholeTexts makes narratives and answers appear when they are complete, instead of
	// sentence by sentence while the model writes them.
	WholeTexts bool

	// ApprovalTimeout is how long a call waits for a person's decision before it is
	// rejected; 5 minutes by default. The turn waits for as long, and so does its thread.
	ApprovalTimeout time.Duration

	// Origins are the web origins that may call the API, besides the server's own and
	// those of this machine, such as https://app.example. Browsers enforce it.
	Origins []string

	// Hosts are the names and addresses, in lower case and without a port, that the server
	// answers to besides those of this machine and the address that it is called at. A
	// request for any other is refused, because a site can let its name point here.
	Hosts []string

	SendsPerMinute int // messages that a user may send in a minute; 30 by default
	StreamsPerUser int // event streams that a user may have open; 100 by default

	// RequestsPerUser is how many requests a user may have under way, streams not counted;
	// 64 by default. The user's workers may have as many more.
	RequestsPerUser int

	// WritesPerSecond is how fast a user may write, and the user's workers as fast again:
	// requests that change something, each counted once and once more for every 4 KiB of its
	// body; 500 by default.
	WritesPerSecond int

	// SessionMemory is how much a user's session may hold, in bytes; as much as all sessions by default.
	// Memory is that of the whole process, 2 GiB by default: its sessions may hold half of it,
	// and the rest is for requests under way and the garbage collector.
	SessionMemory, Memory int

	// Heartbeat is the longest silence on a stream; 15 seconds by default. Proxies cut
	// connections that are silent for longer than they like, often for a minute.
	Heartbeat time.Duration

	// WriteTimeout is how long a stream's client may stop reading before it is
	// disconnected; 10 seconds by default. Otherwise a client that never reads would
	// occupy a connection for as long as it stays.
	WriteTimeout time.Duration

	// Private are files and folders that file tools refuse although they may lie in the
	// workspace, such as the file of tokens. The files that other settings name and the
	// folder .candor are refused without being listed.
	Private []string
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
	Prices   string // a JSON file with what models cost; "" means that nothing is said of it
	Reasons  string // required or optional: the rationale argument of every call; "" decides by the model

	Confidence ConfidenceSettings
}

// ConfidenceSettings say whether the model is asked how sure it is of its calls, and what becomes
// of calls of which it is not sure enough.
type ConfidenceSettings struct {
	Ask       bool     // let every call state a confidence
	Threshold *float64 // from 0 to 1; nil means agent.DefaultThreshold

	// Low is ask (the default), which has a person asked about calls below the threshold,
	// continue, which runs them, or orchestrator: as ask, but OpenWOP clients read the question
	// as the decision of an orchestrator.
	Low string
}

// The values of ConfidenceSettings.Low.
const (
	lowAsk          = "ask"
	lowContinue     = "continue"
	lowOrchestrator = "orchestrator"
)

// ToolSettings choose what a model may call.
type ToolSettings struct {
	Workspace string   // the folder that file tools may read; nothing outside of it is reachable
	Deny      []string // tools whose every call is rejected, as TOOL or SERVER/TOOL
	Approve   []string // TOOL=MODE or SERVER/TOOL=MODE, MODE being never, ask or always
	Enable    []string // built-in tools that are off by default: shell, http_get
	MCPConfig string   // a JSON file of MCP servers; "" means none

	// MCPTimeout is how long a call of an MCP server's tool may take, where the file says
	// nothing else; DefaultMCPTimeout by default.
	MCPTimeout time.Duration
	// AwaitMCP makes the start wait until each MCP server has answered or failed, for at most
	// 30 seconds: for work that begins at once and needs its tools. Without it, the servers
	// join as they answer.
	AwaitMCP bool

	private []string // what the file tools refuse; NewAgent sets it
}

// SafetySettings choose what the safety layer masks besides what it recognizes.
type SafetySettings struct {
	PolicyFile  string   // replaces the default policy
	SecretsFile string   // one known secret a line
	SecretEnv   []string // environment variables whose values are secrets

	guessed func(who, from string) // see safety.OnGuess; may be nil
}
