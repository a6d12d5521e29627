package command

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"candor/attach/claude"
	"candor/attach/codex"
	"candor/attach/gemini"
	"candor/attach/opencode"
	"candor/attach/settings"
)

// program is another program whose agents can be attached.
type program struct {
	// name is that of attach's argument, and of the agent in the log.
	name string
	// folder returns where the program keeps what it has of a person, its session files among it.
	folder func() string
	// personal and project name the settings that are changed, in the program's folder and in that of a project.
	personal, project string
	hooks             hookFile
	// approving returns the hooks with one that lets calls of tools wait for a person, of which writing are those that
	// change something.
	approving func(tools []string) hookFile
	writing   []string
	// writes says in words which tools approving takes where writing is empty.
	writes string
	// approved says what an approval means to the program.
	approved string
	// reminding returns hooks by whose answers the model is asked for its reasons. It is nil for a program whose hooks
	// cannot do so.
	reminding func(settings.Hooks) settings.Hooks
	// summaries is the file, beside that of the hooks, with the setting that has the program ask for summaries of the
	// model's thoughts; "" if the hooks' file has it, or there is none.
	summaries string
	// complete adds to a hook's payload what the program's files tell of it; nil adds nothing.
	complete func(payload []byte, open func(path string) (io.ReadSeekCloser, error)) []byte
	// whole adds to the payload of a hook that waits for a person what the program's files tell of the call's
	// arguments; nil adds nothing.
	whole func(payload []byte, open func(path string) (io.ReadSeekCloser, error)) []byte
	// sessions returns where the program keeps its sessions, if that is not in its folder.
	sessions func() string
	// rest says what a person has to do still, and what the program's hooks cannot tell.
	rest string
}

// hookFile is how a file of a program's gets hooks that report to a server, and loses them again: its settings, or a
// file that is ours alone, of which nothing is left then.
type hookFile interface {
	// Attach returns the file with hooks that report to the server at an address. One that is empty does not exist.
	Attach(file []byte, server string) ([]byte, error)
	// Detach returns the file without what Attach added; nothing if it is to be removed.
	Detach(file []byte) ([]byte, error)
	// AttachedTo returns the address to which hooks in the file report, or "".
	AttachedTo(file []byte) (server string, err error)
}

// programs are those that attach knows.
var programs = []program{
	{
		name: "claude", folder: claudeFolder, hooks: claude.Commands(self()).Reporting(),
		approving: func(tools []string) hookFile { return claude.Commands(self()).Approving(tools) },
		writing:   claude.WritingTools, reminding: claude.Commands(self()).Reminding,
		approved: "An approved call runs unless the settings deny it.\n",
		// Nobody else gets the settings of a project that are a person's own.
		personal: "settings.json", project: filepath.Join(".claude", "settings.local.json"),
		rest: `Still to do:
  in the shell that starts claude, since the token is not in the file:
    ` + tokenToSet + `
  start a new session; running ones do not use the hooks

What hooks do not report: ` + untoldReasons + `the model's thoughts, its tokens, what a
sub-agent says between its calls, and how a call ended that settings refused.
The session file has most of it; to read it, run candor import --follow.
`,
	},
	{
		name: "codex", folder: codexFolder, hooks: codex.Commands(self()).Reporting(),
		approving: func(tools []string) hookFile { return codex.Commands(self()).Approving(tools) },
		writing:   codex.WritingTools, whole: codex.WithArguments, approved: deniesOnly +
			"The exception: approving a command that asks to run outside the sandbox lets it.\n",
		reminding: codex.Commands(self()).Reminding, summaries: "config.toml",
		personal: "hooks.json", project: filepath.Join(".codex", "hooks.json"),
		rest: `Still to do:
  in the shell that starts codex, since the token is not in the file:
    ` + tokenToSet + `
  start codex in a terminal once: it says "Hooks need review", and runs them
  only once you choose to trust them; codex exec does not ask, and runs none
  start a new session; running ones do not use the hooks

What hooks do not report: ` + untoldReasons + `the model's texts and thoughts, its tokens,
which calls it made together, whether a command failed, and the outcome of a
patch that was piped through the shell.
The session file has all of it except reasons that nobody asked for; to read it,
run candor import --follow.
`,
	},
	{
		name: "gemini", folder: geminiFolder, hooks: gemini.Commands(self()).Reporting(), complete: gemini.WithTurn,
		approving: func(tools []string) hookFile { return gemini.Commands(self()).Approving(tools) },
		writing:   gemini.WritingTools, approved: deniesOnly,
		reminding: gemini.Commands(self()).Reminding,
		personal:  "settings.json", project: filepath.Join(".gemini", "settings.json"),
		rest: `Still to do:
  in the shell that starts gemini, since the token is not in the file:
    ` + tokenToSet + `
  start a new session; running ones do not use the hooks

What hooks do not report: ` + untoldReasons + `the model's texts and thoughts, its tokens,
which calls it made together, which are a sub-agent's, and a call that was
refused.
The session file has all of it except reasons that nobody asked for; to read it,
run candor import --follow.
`,
	},
	{
		name: "opencode", folder: openCodeFolder, hooks: opencode.Plugin{}, sessions: openCodeSessions,
		approving: func(tools []string) hookFile { return opencode.Approving(tools) },
		writes:    "all tools except those that read, search or plan", approved: deniesOnly,
		personal: filepath.Join("plugin", "candor.js"), project: filepath.Join(".opencode", "plugin", "candor.js"),
		rest: `Still to do:
  in the shell that starts opencode, since the token is not in the file:
    ` + tokenToSet + `
  restart opencode; a running one does not use the plugin

What the plugin does not report: the parameters of a call of a tool that does
not exist, and results beyond 64 KiB.
The database has longer results; to read them, run candor import --follow.
`,
	},
	{
		name: "qwen", folder: qwenFolder, hooks: gemini.QwenCommands(self()).Reporting(), sessions: qwenSessions,
		complete:  gemini.WithQwenTurn,
		approving: func(tools []string) hookFile { return gemini.QwenCommands(self()).Approving(tools) },
		writing:   gemini.QwenWritingTools, approved: deniesOnly,
		reminding: gemini.QwenCommands(self()).Reminding,
		personal:  "settings.json", project: filepath.Join(".qwen", "settings.json"),
		rest: `Still to do:
  in the shell that starts qwen, since the token is not in the file:
    ` + tokenToSet + `
  start a new session; running ones do not use the hooks

What hooks do not report: ` + untoldReasons + `the model's texts and thoughts, its tokens,
which calls it made together, and a call that the settings refused.
The session file has all of it except reasons that nobody asked for; to read it,
run candor import --follow.
`,
	},
}

// untoldReasons stands among what hooks cannot tell unless they have the model asked for its reasons.
const untoldReasons = "the model's reasons (unless you use\n--ask-reasons), "

// deniesOnly says what an approval means to a program whose hooks can deny a call, and not let it run.
const deniesOnly = `Hooks of this agent can only deny a call: an approved call goes through the
agent's own settings, which may ask again.
`

// programNamed returns the program of a name; ok is false if attach knows none of it.
func programNamed(name string) (p program, ok bool) {
	for _, p := range programs {
		if p.name == name {
			return p, true
		}
	}
	return program{}, false
}

// programNames returns the names of all programs, in a sentence.
func programNames() string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name)
	}
	return strings.Join(names, ", ")
}

// claudeFolder is where Claude Code keeps its sessions unless it is told otherwise.
func claudeFolder() string { return folderOf("CLAUDE_CONFIG_DIR", ".claude") }

// codexFolder is where Codex keeps its sessions unless it is told otherwise.
func codexFolder() string { return folderOf("CODEX_HOME", ".codex") }

// geminiFolder is where Gemini CLI keeps its sessions unless it is told otherwise.
func geminiFolder() string {
	if home := os.Getenv("GEMINI_CLI_HOME"); home != "" {
		return filepath.Join(home, ".gemini")
	}
	return folderOf("", ".gemini")
}

// qwenFolder is where Qwen Code keeps its settings, and qwenSessions where it keeps its sessions, unless it is told
// otherwise.
func qwenFolder() string { return folderOf("QWEN_HOME", ".qwen") }

func qwenSessions() string {
	if dir := os.Getenv("QWEN_RUNTIME_DIR"); dir != "" {
		return dir
	}
	return qwenFolder()
}

// unattached are the folders of programs whose files are read, and to which nothing is attached.
var unattached = []func() string{
	func() string { return folderOf("COPILOT_HOME", ".copilot") },
	func() string { return folderOf("PI_CODING_AGENT_DIR", filepath.Join(".pi", "agent")) },
}

// openCodeFolder is where OpenCode keeps its settings and plugins unless it is told otherwise.
func openCodeFolder() string {
	if dir := os.Getenv("OPENCODE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(folderOf("XDG_CONFIG_HOME", ".config"), "opencode")
}

// openCodeSessions is where OpenCode keeps its database.
func openCodeSessions() string {
	return filepath.Join(folderOf("XDG_DATA_HOME", filepath.Join(".local", "share")), "opencode", "opencode.db")
}

// self returns the path of this program, which agents run as a hook.
func self() string {
	path, err := os.Executable()
	if err != nil {
		return "candor"
	}
	return path
}

// folderOf returns the folder that an environment variable names, or else one in the person's own.
func folderOf(variable, name string) string {
	if dir := os.Getenv(variable); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return name
	}
	return filepath.Join(home, name)
}

// isPlace reports whether there is a file or folder.
func isPlace(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// sessionFolders returns the folders of those programs that were used here; of the first if none was.
func sessionFolders() (list []string) {
	for _, p := range programs {
		from := p.folder()
		if p.sessions != nil {
			from = p.sessions()
		}
		if isPlace(from) {
			list = append(list, from)
		}
	}
	for _, folder := range unattached {
		if from := folder(); isPlace(from) {
			list = append(list, from)
		}
	}
	if len(list) == 0 {
		list = []string{programs[0].folder()}
	}
	return list
}
