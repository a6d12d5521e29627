package terminal

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// command is what a line with a slash does.
type command struct {
	name, args, help string
	section          string
	run              func(r *REPL, ctx context.Context, args []string) error
}

// usage is a mistake in how a command was called: one line for the person.
type usage string

func (u usage) Error() string { return string(u) }

const (
	sectionInspection    = "Inspection"
	sectionConversations = "Conversations"
	sectionApprovals     = "Approvals"
	sectionGeneral       = "General"
)

// commands are all there are, in the order of the help. A function, since the help
// is one of them.
func commands() []command {
	return []command{
		{"/reasoning", "[N|all|last]", "why the tools of a turn were called: the latest, turn N, or all", sectionInspection, (*REPL).reasoning},
		{"/reasoning search", "WORDS", "turns in which all these words stand", sectionInspection, nil},
		{"/threads", "", "your conversations, the one used last first", sectionConversations, (*REPL).threads},
		{"/new", "", "begin another", sectionConversations, (*REPL).newThread},
		{"/switch", "N|ID", "go on with another, by its number in /threads or its id", sectionConversations, (*REPL).switchThread},
		{"/export", "[md|jsonl|html] [FILE]", "write this one to a file, reasons included", sectionConversations, (*REPL).export},
		{"/approve", "[N] [always]", "let a call that waits run; always: also the later ones of its tool", sectionApprovals, (*REPL).approve},
		{"/deny", "[N]", "reject it", sectionApprovals, (*REPL).deny},
		{"/help", "", "this list", sectionGeneral, (*REPL).help},
		{"/quit", "", "leave; Ctrl-D does it too", sectionGeneral, (*REPL).quit},
	}
}

// dispatch runs the command that a line calls.
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

// nearest is a command that a mistyped one may have meant, else empty.
func nearest(word string) string {
	word = strings.ToLower(word)
	for _, c := range commands() {
		if c.run != nil && len(word) > 2 && (strings.HasPrefix(c.name, word) || distance(word, c.name) <= 2) {
			return c.name
		}
	}
	return ""
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	if len(a) > 32 {
		return len(a)
	}
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

// Complete says how a line may go on.
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
	if strings.HasPrefix(line, "/reasoning ") {
		for _, o := range []string{"all", "last", "search "} {
			add("/reasoning " + o)
		}
	}
	if strings.HasPrefix(line, "/export ") {
		for _, o := range []string{"md", "jsonl", "html"} {
			add("/export " + o)
		}
	}
	return options
}

// help lists the commands by section.
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
		"Ctrl-C stops the turn that runs. Ctrl-J, or a \\ at the end, begins another line. What you type while a turn runs waits for its end.") + "\n")
	r.print(out.String())
	return nil
}

// number reads a turn's or a thread's number; ok is false for anything else.
func parseNumber(word string) (n int, ok bool) {
	n, err := strconv.Atoi(word)
	return n, err == nil && n >= 0 && !strings.HasPrefix(word, "+")
}
