package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"unicode"
	"unicode/utf16"

	"candor/web/client"
)

// This file has the key e at a question: a person changes what a call would do before it runs.
//
// They write in their own editor, or behind the key where there is none. Both lead to the same request. The
// parameters come from a server that a terminal does not trust, so what could harm one is escaped
// before the editor shows it; JSON reads the escapes back, so they change nothing.
//
// While the editor runs, the conversation stands still: the goroutine that owns it waits for the editor, and
// events wait behind it. What the server decides meanwhile, such as that the time was up, is seen when
// the change is sent and refused.

// asider is a Screen that can leave the terminal to another program for a while.
type asider interface {
	Aside(run func(in, out *os.File) error) error
}

// parseEdit parses a line that changes the parameters of a call that waits: e, e 2, or either with the
// parameters behind it. They are taken as they stand, since blanks in them count.
func parseEdit(line string) (number []string, parameters string, ok bool) {
	word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	if word = strings.ToLower(word); word != "e" && word != "edit" {
		return nil, "", false
	}
	rest = strings.TrimSpace(rest)
	first, behind, _ := strings.Cut(rest, " ")
	if _, isNumber := parseNumber(first); isNumber {
		number, rest = []string{first}, strings.TrimSpace(behind)
	}
	return number, rest, rest == "" || rest[0] == '{'
}

// edit answers a question with changed parameters: those of the line, or those that the person's own
// editor leaves. What was written stays until the call is answered, so that a mistake loses nothing.
func (r *REPL) edit(ctx context.Context, number []string, parameters string) error {
	q, err := r.pickApproval(number)
	if err != nil {
		return err
	}
	if !q.Editable {
		return usage("The parameters of " + fit(CleanLine(q.ToolName), 32) +
			" cannot be changed. y lets it run as it is.")
	}
	if parameters == "" {
		written, err := r.openEditor(ctx, q)
		if err != nil {
			return err
		}
		if written == "" {
			r.notice(dim, "─", "Nothing was changed, and the call still waits.")
			return nil
		}
		parameters = written
	}
	if r.drafts == nil {
		r.drafts = map[string]string{}
	}
	r.drafts[q.RequestID] = parameters
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(parameters), &members); err != nil || members == nil {
		return usage("Not sent: the parameters have to be one JSON object" + fromByte(err) + ". e opens them again.")
	}
	err = r.await(ctx, "answering", func(ctx context.Context) error {
		return r.Client.ApproveEdited(ctx, q.RequestID, "approve", json.RawMessage(parameters))
	})
	if err == nil || client.Is(err, "no_approval") {
		r.removeApproval(q.RequestID)
	}
	return err
}

// fromByte says at which byte JSON is wrong, if that is known.
func fromByte(err error) string {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Sprintf(", and they are not from byte %d on", syntax.Offset)
	}
	return ""
}

// maxEdited bounds what an editor leaves, in bytes. A server takes less.
const maxEdited = 256 << 10

// openEditor lets a person change the parameters of a call in their own editor, and returns what
// they wrote, "" if they changed nothing.
func (r *REPL) openEditor(ctx context.Context, q pendingApproval) (written string, err error) {
	screen, ok := r.Screen.(asider)
	if !ok || len(r.Editor) == 0 {
		return "", usage("No editor is known: set VISUAL or EDITOR, or write the parameters behind it: e {…}.")
	}
	before, err := editable(q.Parameters)
	if err != nil {
		return "", usage("The parameters cannot be read, so they cannot be changed.")
	}
	given := before
	if left := r.drafts[q.RequestID]; left != "" {
		given = left
	}
	err = screen.Aside(func(in, out *os.File) error {
		written, err = runEditor(ctx, r.Editor, given, in, out)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the editor %s failed, so nothing was sent: %w", r.Editor[0], err)
	}
	if strings.TrimSpace(written) == strings.TrimSpace(before) {
		return "", nil
	}
	return strings.TrimSpace(written), nil
}

// runEditor runs an editor on a file with a text and returns what it leaves. The file is its owner's
// alone, and is removed.
func runEditor(ctx context.Context, editor []string, text string, in, out *os.File) (string, error) {
	f, err := os.CreateTemp("", "candor-*.json")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text + "\n")
	if err := errors.Join(err, f.Close()); err != nil {
		return "", err
	}
	run := exec.CommandContext(ctx, editor[0], append(editor[1:len(editor):len(editor)], f.Name())...)
	run.Stdin, run.Stdout, run.Stderr = in, out, out
	if err := run.Run(); err != nil {
		return "", err
	}
	if f, err = os.Open(f.Name()); err != nil { // an editor may have put another file in its place
		return "", err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxEdited))
	return string(raw), err
}

// editable renders JSON for an editor: indented, and with escapes for what could harm a terminal.
func editable(raw json.RawMessage) (string, error) {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return "", err
	}
	var out strings.Builder
	for _, c := range indented.String() {
		if c == '\n' || unicode.IsPrint(c) {
			out.WriteRune(c)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, c) { // it is in a string, where JSON allows no other
			fmt.Fprintf(&out, "\\u%04x", unit)
		}
	}
	return out.String(), nil
}

// edited is the line with the parameters as a person changed them before the call ran, "" if nobody did.
func (s Style) edited(e entry, label string) string {
	if e.Edited == nil {
		return ""
	}
	by := fit(CleanLine(e.EditedBy), 32)
	if by == "" {
		by = "a person"
	}
	return s.hang(e.margin()+label, dim, Params(e.Edited)+" by "+by)
}
