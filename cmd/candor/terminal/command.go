package terminal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// command describes a line that starts with a slash, and the function that runs it. One
// without run only has a line in the help, for a variant of the command above it.
type command struct {
	name, args, help string
	section          string
	run              func(r *REPL, ctx context.Context, args []string) error
}

// usage is the error of a person who called a command wrongly: a sentence for them.
type usage string

// Error implements error.
func (u usage) Error() string { return string(u) }

// The sections of the help.
const (
	sectionInspection    = "Inspection"
	sectionConversations = "Conversations"
	sectionApprovals     = "Approvals"
	sectionGeneral       = "General"
)

// commands returns all commands in the order of the help. It is a function because
// the help is one of them. To add a command, add a row here and its method in
// actions.go.
func commands() []command {
	return []command{
		{"/reasoning", "[N|all|last]", "why the tools of a turn were called: the latest, turn N, or all",
			sectionInspection, (*REPL).reasoning},
		{"/reasoning search", "WORDS", "turns in which all these words stand", sectionInspection, nil},
		{"/why", "[N|N.STEP]", "a whole turn as it is read afterwards: the latest, turn N, or one step of it",
			sectionInspection, (*REPL).why},
		{"/turns", "", "the turns of this conversation and what they did", sectionInspection, (*REPL).turns},
		{"/diff", "N M", "what two turns did differently, and for which other reasons",
			sectionInspection, (*REPL).diff},
		{"/view", "[live|full]", "show turns as they happen only, or why once more below the answer",
			sectionInspection, (*REPL).view},
		{"/rate", "N.M good|bad|none [WORDS]", "say what you think of decision M of turn N; /rate N lists them",
			sectionInspection, (*REPL).rate},
		{"/threads", "", "your conversations, the one used last first", sectionConversations, (*REPL).threads},
		{"/new", "", "begin another", sectionConversations, (*REPL).newThread},
		{"/switch", "N|ID", "go on with another, by its number in /threads or its id",
			sectionConversations, (*REPL).switchThread},
		{"/delete", "[N|ID]", "delete this one for good, or another; it asks first",
			sectionConversations, (*REPL).deleteThread},
		{"/export", "[md|jsonl|html] [FILE]", "write this one to a file, reasons included",
			sectionConversations, (*REPL).export},
		{"/approve", "[N] [always]", "let a call that waits run; always: also the later ones of its tool",
			sectionApprovals, (*REPL).approve},
		{"/approve", "[N] WORDS", "decide otherwise than the agent would", sectionApprovals, nil},
		{"/deny", "[N]", "reject it", sectionApprovals, (*REPL).deny},
		{"/help", "", "this list", sectionGeneral, (*REPL).help},
		{"/quit", "", "leave; Ctrl-D does it too", sectionGeneral, (*REPL).quit},
	}
}

// dispatch runs the command that a line names.
func (r *REPL) dispatch(ctx context.Context, line string) error {
	words := strings.Fields(line)
	for _, c := range commands() {
		if c.name == words[0] {
			return c.run(r, ctx, words[1:])
		}
	}
	name := fit(CleanLine(words[0]), 32)
	if near := nearest(words[0]); near != "" {
		return usage(fmt.Sprintf("There is no command %s. Did you mean %s? /help lists all.", name, near))
	}
	return usage(fmt.Sprintf("There is no command %s. /help lists those there are.", name))
}

// nearest returns the command that a mistyped word may mean, "" if none is close.
func nearest(word string) string {
	word = strings.ToLower(word)
	for _, c := range commands() {
		if c.run != nil && len(word) > 2 && (strings.HasPrefix(c.name, word) || distance(word, c.name) <= 2) {
			return c.name
		}
	}
	return ""
}

// distance returns the edit distance of two words: how many letters have to be
// inserted, removed or changed. For a word longer than any command it returns that
// word's length, which is too far to match.
func distance(a, b string) int {
	if len(a) > 32 { // keeps the cost of a pasted line small
		return len(a)
	}
	// One row of the table at a time; row[j] is the distance to the first j letters of b.
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := diagonal
			if a[i] != b[j] {
				next = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// Complete returns the lines that a line with a command may continue as, none for
// other lines. It is what an [Editor] completes with.
func Complete(line string) []string {
	if !strings.HasPrefix(line, "/") {
		return nil
	}
	var options []string
	add := func(o string) {
		if strings.HasPrefix(o, line) {
			options = append(options, o)
		}
	}
	for _, c := range commands() {
		if c.run != nil {
			add(c.name)
		}
	}
	for name, words := range map[string][]string{
		"/reasoning": {"all", "last", "search "}, "/export": {"md", "jsonl", "html"}, "/view": {"live", "full"},
	} {
		for _, o := range words {
			if strings.HasPrefix(line, name+" ") {
				add(name + " " + o)
			}
		}
	}
	return options
}

// help is /help: the commands by section, in columns where there is room.
func (r *REPL) help(_ context.Context, args []string) error {
	if len(args) > 0 {
		return usage("/help takes no argument.")
	}
	var out strings.Builder
	section := ""
	for _, c := range commands() {
		if c.section != section {
			section = c.section
			out.WriteString("\n  " + r.Style.paint(bold, section) + "\n")
		}
		call := strings.TrimSpace(c.name + " " + c.args)
		if r.Style.Width > 0 && r.Style.Width < 72 {
			out.WriteString(r.Style.hang("    ", cyan, call) + r.Style.hang("      ", dim, c.help))
			continue
		}
		label := "    " + r.Style.paint(cyan, call) + strings.Repeat(" ", max(2, 34-cellWidth(call)))
		out.WriteString(r.Style.hangAt(label, 4+max(34, cellWidth(call)+2), dim, c.help))
	}
	out.WriteString("\n" + r.Style.hang("  ", dim,
		"Ctrl-C stops the turn that runs. Ctrl-J, or a \\ at the end, begins another line. "+
			"What you type while a turn runs waits for its end.") + "\n")
	r.print(out.String())
	return nil
}

// parseNumber reads the number of a turn or a thread. ok is false for anything else.
func parseNumber(word string) (n int, ok bool) {
	n, err := strconv.Atoi(word)
	return n, err == nil && n >= 0 && !strings.HasPrefix(word, "+")
}
