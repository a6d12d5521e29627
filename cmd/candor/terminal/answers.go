package terminal

import (
	"context"
	"fmt"
	"strings"
)

// askingPrompt precedes a line in which the user answers a question: it is no message.
const askingPrompt = "? "

// reply is a short answer to a question about a call: y, n 2, or n and words.
type reply struct {
	action string   // approve, always, deny or view
	number []string // of the approval, as it was typed; nil for the only one
	words  string   // why it is denied
}

// replies are the words that answer, by what they do.
var replies = map[string]string{
	"y": "approve", "yes": "approve", "a": "always", "always": "always", "n": "deny", "no": "deny", "d": "deny",
	"deny": "deny",
	"v":    "view", "view": "view",
}

// parseReply parses a line as an answer. ok is false for any other text: only a denial may
// have words behind it.
func parseReply(line string) (p reply, ok bool) {
	words := strings.Fields(line)
	if len(words) == 0 {
		return p, false
	}
	if p.action, ok = replies[strings.ToLower(words[0])]; !ok {
		return p, false
	}
	words = words[1:]
	if len(words) > 0 {
		if _, isNumber := parseNumber(words[0]); isNumber {
			p.number, words = words[:1], words[1:]
		}
	}
	p.words = strings.Join(words, " ")
	return p, p.words == "" || p.action == "deny"
}

// answers reports whether a line answers a question, or did so until a moment ago, and acts on
// it. Where a question waits or was taken back while the line was typed, no line becomes a
// message: a person who types yes speaks to the one who asked.
func (r *REPL) answers(ctx context.Context, line string) (taken bool, err error) {
	if number, parameters, ok := parseEdit(line); ok && len(r.approvals) > 0 {
		return true, r.edit(ctx, number, parameters)
	}
	p, ok := parseReply(line)
	switch {
	case len(r.approvals) > 0 && ok:
		return true, r.answer(ctx, p)
	case len(r.approvals) > 0:
		return true, usage("Not sent: a call waits for your answer. y lets it run, n does not; " +
			"then the line can be sent, and ↑ brings it back.")
	case ok && r.asked && p.words == "":
		return true, usage("Not sent: nothing waits for an answer any more.")
	}
	return false, nil
}

// answer acts on a short answer.
func (r *REPL) answer(ctx context.Context, p reply) error {
	if p.action == "view" {
		q, err := r.pickApproval(p.number)
		if err == nil {
			r.ask(q)
		}
		return err
	}
	if p.action != "deny" {
		if err := r.unchosen(p); err != nil {
			return err
		}
	}
	return r.answerApproval(ctx, p.action, p.number, p.words)
}

// unchosen returns an error for an answer that would let a call run which nobody named: one that was shown with a
// number is answered with it, since it may have come while the line was typed. Always is said twice.
func (r *REPL) unchosen(p reply) error {
	q, err := r.pickApproval(p.number)
	if err != nil {
		return err
	}
	key := map[string]string{"approve": "y", "always": "a"}[p.action]
	if p.number == nil && q.shownAs > 1 {
		name := fit(CleanLine(q.ToolName), 32)
		return usage(fmt.Sprintf("Not sent: say which. %s %d is for %s.", key, q.shownAs, name))
	}
	first := p.action == "always" && r.twice != q.RequestID
	r.twice = ""
	if first {
		r.twice = q.RequestID
		return usage("Not sent yet: the same once more lets every later call of " + fit(CleanLine(q.ToolName), 32) +
			" run unasked. y lets only this one run.")
	}
	return nil
}

// showPrompt makes the prompt say what a line would be: the rest of a message, the answer to
// a question, or a message.
func (r *REPL) showPrompt() {
	prompt := defaultPrompt
	switch {
	case r.doomed != "":
		prompt = deletePrompt
	case len(r.unfinished) > 0:
		prompt = "… "
	case len(r.approvals) > 0:
		prompt = askingPrompt
	}
	if prompt != r.prompted {
		r.prompted = prompt
		r.Screen.Prompt(prompt)
	}
}

// answersApproval reports whether a line answers an approval that waits.
func (r *REPL) answersApproval(line string) bool {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	_, short := parseReply(line)
	_, _, edits := parseEdit(line)
	short = short || edits
	return len(r.approvals) > 0 && short || word == "/approve" || word == "/deny"
}
