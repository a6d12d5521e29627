package terminal

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"candor/web/client"
)

// pendingApproval is a call that waits for its user, with the number it was shown
// with.
type pendingApproval struct {
	shownAs int
	client.Approval
}

// numberOf returns what tells a question from others in answers, 0 for the first while it waits alone.
func (r *REPL) numberOf(q pendingApproval) int {
	if q.shownAs == 1 && len(r.approvals) < 2 {
		return 0
	}
	return q.shownAs
}

// addApproval keeps an approval and asks for it. The first since the thread was idle
// is shown without its number. An approval that is known already is ignored.
func (r *REPL) addApproval(a client.Approval) {
	if slices.ContainsFunc(r.approvals, func(q pendingApproval) bool { return q.RequestID == a.RequestID }) {
		return
	}
	r.approvalCount++
	q := pendingApproval{r.approvalCount, a}
	r.approvals, r.asked = append(r.approvals, q), true
	r.ask(q)
}

// ask shows a question. The first is shown without its number.
func (r *REPL) ask(q pendingApproval) {
	number := r.numberOf(q)
	if r.redraws() {
		r.print(r.Style.question(q.Approval, number) + "\n") // how to answer stands above the prompt
		return
	}
	r.print(r.Style.Question(q.Approval, number))
	if first := r.approvals[0]; len(r.approvals) == 2 && first.shownAs == 1 && number == 2 {
		r.print(r.Style.hang("    ", dim, "Another call waits, too: y 1 or n 1 answers the question about "+
			fit(CleanLine(first.ToolName), 32)+"."))
	}
}

// removeApproval forgets an approval that was answered, here or elsewhere.
func (r *REPL) removeApproval(request string) {
	delete(r.drafts, request)
	r.approvals = slices.DeleteFunc(r.approvals, func(q pendingApproval) bool { return q.RequestID == request })
}

// approve is /approve [N] [always|WORDS]. Words are another decision, of a call that is one.
func (r *REPL) approve(ctx context.Context, args []string) error {
	n := len(args)
	if n > 0 && args[n-1] == "always" && (n == 1 || n == 2 && r.numbered(args[0])) {
		return r.answerApproval(ctx, "always", args[:n-1], "")
	}
	if n > 0 && r.numbered(args[0]) {
		return r.answerApproval(ctx, "approve", args[:1], strings.Join(args[1:], " "))
	}
	if _, isNumber := parseNumber(strings.Join(args, "")); isNumber || n == 0 {
		return r.answerApproval(ctx, "approve", args, "")
	}
	return r.answerApproval(ctx, "approve", nil, strings.Join(args, " "))
}

// numbered reports whether a word is the number of an approval that waits.
func (r *REPL) numbered(word string) bool {
	n, ok := parseNumber(word)
	return ok && slices.ContainsFunc(r.approvals, func(q pendingApproval) bool { return q.shownAs == n })
}

// deny is /deny [N].
func (r *REPL) deny(ctx context.Context, args []string) error {
	return r.answerApproval(ctx, "deny", args, "")
}

// answerApproval sends an answer: for the only approval, or for the one whose number
// is given. words are another decision than the agent's, or why a call is denied. An approval that the server
// no longer has is removed as well.
func (r *REPL) answerApproval(ctx context.Context, action string, args []string, words string) error {
	q, err := r.pickApproval(args)
	if err != nil {
		return err
	}
	if words != "" && action != "deny" && !q.Decides {
		return usage("Only a decision can be another one, and " + fit(CleanLine(q.ToolName), 32) +
			" is none. /approve or /deny it.")
	}
	err = r.await(ctx, "answering", func(ctx context.Context) error {
		switch {
		case words != "" && action == "deny":
			return r.Client.Deny(ctx, q.RequestID, words)
		case words != "":
			return r.Client.Decide(ctx, q.RequestID, words)
		}
		return r.Client.Approve(ctx, q.RequestID, action)
	})
	if err == nil || client.Is(err, "no_approval") {
		r.removeApproval(q.RequestID)
	}
	return err
}

// pickApproval returns the approval that arguments name, or an error that lists
// those that wait.
func (r *REPL) pickApproval(args []string) (pendingApproval, error) {
	if len(r.approvals) == 0 {
		return pendingApproval{}, usage("No call waits for an answer.")
	}
	if len(args) == 0 && len(r.approvals) == 1 {
		return r.approvals[0], nil
	}
	var waiting []string
	for _, q := range r.approvals {
		if n, ok := 0, false; len(args) == 1 {
			if n, ok = parseNumber(args[0]); ok && n == q.shownAs {
				return q, nil
			}
		}
		waiting = append(waiting, fmt.Sprintf("%d %s", q.shownAs, fit(CleanLine(q.ToolName), 32)))
	}
	return pendingApproval{}, usage("Say which, by its number. What waits: " + strings.Join(waiting, ", ") + ".")
}

// denyAll denies the approvals that are open when the input ends. A turn that waited
// for them would otherwise never end.
func (r *REPL) denyAll(ctx context.Context) error {
	r.notice(yellow, "─", "Nobody is left to answer, so what waits is denied.")
	for _, q := range slices.Clone(r.approvals) {
		if err := r.report(ctx, r.deny(ctx, []string{strconv.Itoa(q.shownAs)})); err != nil {
			return err
		}
	}
	return nil
}

// Question asks a person about a call that waits: its reason, all of its parameters,
// how many characters of secrets they hide, and how to answer. number distinguishes it from
// others that wait; 0 is for a single one. The parameters are shown to the byte: nobody can
// approve what they cannot see.
//
//	? 2 shell  "to see what fills the disk"
//	  Runs a command.
//	  params: { "command": "du -sh *" }
//	  May it run?  y 2 yes   a 2 always   n 2 no   n 2 WORDS no, and why   v 2 view
//
// A call of which the agent is not sure enough says so, and a decision may be another one.
func (s Style) Question(a client.Approval, number int) string {
	asked, choices := choicesOf(a, number)
	for i := range choices { // the keys and their words stay together where the line has to be broken
		choices[i] = strings.ReplaceAll(choices[i], " ", "\u00a0")
	}
	return s.question(a, number) + s.hang("    ", bold, asked+strings.Join(choices, "   ")) + "\n"
}

// question is Question without how to answer.
func (s Style) question(a client.Approval, number int) string {
	d := client.Decision{ToolName: a.ToolName, Rationale: a.Rationale, Source: a.Source, Confident: a.Confident}
	lead := "  ? "
	if number > 0 {
		lead = fmt.Sprintf("  ? %d ", number)
	}
	name := s.shorten(toolName(d), cellWidth(lead))
	why := "" // the reason is what the decision is about, so it is not dim
	if d.Source == "fallback" {
		why = italic
	}
	out := "\n" + s.hangAt(s.paint(yellow, lead)+s.paint(cyan, name)+"  ", cellWidth(lead+name)+2, why, quotedReason(d))
	if text := whyAsked(a.Confidence, a.Unsure); text != "" {
		out += s.hang("    ", "", text)
	}
	if text := CleanLine(a.Description); text != "" {
		out += s.hang("    ", dim, truncate(text, 400))
	}
	params, whole := exactParams(a.Parameters)
	out += s.hangExactly("    params: ", params)
	if !whole {
		out += s.hangAt(s.paint(yellow, "    ! "), 6, "",
			"There is more that is not shown. Deny it unless you know what it is.")
	}
	if a.Hidden > 0 {
		out += s.hangAt(s.paint(yellow, "    ! "), 6, "", hiddenFromYou(a.Hidden))
	}
	return out
}

// choicesOf returns what is asked about a call, and the ways to answer: each a key and what it does.
func choicesOf(a client.Approval, number int) (asked string, choices []string) {
	which := ""
	if number > 0 {
		which = fmt.Sprintf(" %d", number)
	}
	choices = []string{"y" + which + " yes"}
	if a.AllowAlways {
		choices = append(choices, "a"+which+" always")
	}
	choices = append(choices, "n"+which+" no", "n"+which+" WORDS no, and why")
	if a.Editable {
		choices = append(choices, "e"+which+" edit")
	}
	choices = append(choices, "v"+which+" view")
	if a.Decides {
		return "Is it decided so?  ", append(choices, "/approve"+which+" WORDS to decide otherwise")
	}
	return "May it run?  ", choices
}

// hiddenFromYou says how many characters of a call's parameters are not shown.
func hiddenFromYou(n int) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return plural(n, "character") + " " + verb + " hidden from you: a secret that nothing here acts on."
}

// hangExactly is hang for text of which no space may be lost: each line but the last one
// fills the window, wherever that breaks a word.
func (s Style) hangExactly(label, text string) string {
	indent := cellWidth(label)
	if s.Width <= indent+8 {
		indent = 0
	}
	if s.Width == 0 {
		return s.paint(dim, label) + text + "\n"
	}
	var out strings.Builder
	out.WriteString(s.paint(dim, label))
	used := cellWidth(label)
	for g := displaywidth.StringGraphemes(text); g.Next(); {
		if used+g.Width() > s.Width {
			out.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		}
		out.WriteString(g.Value())
		used += g.Width()
	}
	return out.String() + "\n"
}
