package export

import (
	"cmp"
	"fmt"
	"strings"

	"candor/safety"
	"candor/session"
	"candor/session/brief"
)

// decisionView is a tool call in words, as the page shows it in a row: why, what with, what came of it and how long
// it took. What is usual goes without saying: no word for success, none for a reason in the model's own words.
type decisionView struct {
	Number    int    // from 1 in the turn
	Beside    string // which calls ran side by side, with the first of them
	Tool      safety.Text
	Object    string      // the key parameter; empty if there is none or parameters are omitted
	To        safety.Text // who ran the tool, in an observed turn; empty if nobody was named
	Before    safety.Text // what the model said between this call and the one before it
	Rationale safety.Text
	NoReason  string // what stands in place of a reason that the model did not give or that was withheld
	Source    string // whose words the reason is, unless they are the model's own
	Kind      string // failed, waiting, plain or usual, which is how its row is coloured
	Outcome   string // the outcome in a word, empty for success
	Got       string // what came of it, in a line
	Took      string // empty if nobody timed it
	Facts     []string
	Decided   []decidedView
	Feedback  []decidedView // what the user thinks of it; at most one
	Error     string        // empty if Got says all of it
	Params    block
	Edited    block  // the parameters as a person changed them; zero if nobody did
	EditedAs  string // the name of Edited
	Result    block  // empty if Got says all of it
	Redacted  []string
	Noticed   []string
}

// block is a value that is read as a whole. The zero block is not shown.
type block struct {
	Text  string
	Short bool     // it is shown, and a long one opens when it is asked for
	Lines string   // such as "161 lines"; empty if there is one
	Words []string // its lines, if they are few and short enough to stand in one; else empty
}

// A block of more lines or bytes than these is closed until somebody opens it, and one of at most so many
// is a line.
const (
	shortLines, shortBytes = 8, 600
	fewLines, fewBytes     = 4, 120
)

// blockOf returns a value as a block.
func blockOf(v safety.JSON) block {
	b := block{Text: strings.TrimRight(brief.Readable(v), "\n")}
	lines := strings.Split(b.Text, "\n")
	if len(lines) > 1 {
		b.Lines = plural(len(lines), "line")
	}
	b.Short = len(lines) <= shortLines && len(b.Text) <= shortBytes
	indented := strings.Contains(b.Text, "\n ") || strings.HasPrefix(b.Text, " ")
	if b.Text != "" && len(lines) <= fewLines && len(b.Text) <= fewBytes && !indented {
		b.Words = lines
	}
	return b
}

// editedOf returns the parameters of a call as a person changed them, and their name, which says who.
func editedOf(c session.Call) (block, string) {
	edited, ok := c.Edited()
	if !ok {
		return block{}, ""
	}
	by := cmp.Or(c.Approval.EditedBy.String(), "a person")
	return blockOf(edited), "Parameters as " + by + " changed them, with which it ran"
}

// paramsOf returns the parameters of a call, unless what it is about is all there is to them.
func paramsOf(c session.Call, what string) block {
	b := blockOf(c.Params)
	if _, value, ok := strings.Cut(b.Text, ": "); ok && len(b.Words) == 1 && value == what {
		return block{}
	}
	return b
}

// resultOf returns the result of a call, closed if it has several lines, unless what came of it says it all.
func resultOf(c session.Call, got string) block {
	b := blockOf(c.Result)
	if b.Text == got {
		return block{}
	}
	if len(b.Words) > 1 {
		b.Words = nil
	}
	b.Short = false
	return b
}

// decision returns the view of one call.
func (d Document) decision(number int, c session.Call) decisionView {
	v := decisionView{
		Number: number, Tool: c.Tool, To: c.To, Before: c.Before, Rationale: c.Rationale.Text,
		NoReason: noReason(c.Rationale),
		Source:   attribution(c.Rationale.Source), Kind: kindOf(c), Outcome: outcomes[c.Outcome], Took: took(c),
		Facts: facts(c), Error: c.Error.String(), Feedback: feedback(c),
		Redacted: redactions(c.Findings), Noticed: notices(c.Findings),
	}
	if v.NoReason != "" {
		v.Rationale, v.Source = safety.Text{}, ""
	}
	if !d.Omit.Parameters {
		v.Decided = decidedIn(c)
		what := c.Decision()
		if !c.Decides {
			v.Object = brief.Object(c.Arguments()).String()
			what = v.Object
		}
		v.Params = paramsOf(c, what)
		v.Edited, v.EditedAs = editedOf(c)
	}
	// Without results a line still says why there is none.
	if !d.Omit.Results || c.Outcome != session.Success && (c.Result.Null() || !c.Error.Empty()) {
		v.Got = brief.Outcome(c).String()
	}
	if !d.Omit.Results && !c.Result.Null() {
		v.Result = resultOf(c, v.Got)
	}
	if v.Got == v.Outcome || c.Outcome == session.Unknown {
		v.Got = ""
	}
	if saysAll(c, v.Got) {
		v.Error = ""
	}
	return v
}

// saysAll reports whether the line of a call that failed or was not run has all of its error. What a person
// denied has no other error than that.
func saysAll(c session.Call, got string) bool {
	if c.Outcome == session.Rejected && c.Approval != nil && c.Approval.Answer != session.Approve {
		return got != "" && !strings.HasSuffix(got, "…")
	}
	return strings.TrimPrefix(got, "not run: ") == strings.TrimSpace(c.Error.String())
}

// outcomes are the words for what became of a call. Success goes without one.
var outcomes = map[session.Outcome]string{
	session.Pending: "pending", session.Errored: "error", session.Rejected: "rejected",
	session.Cancelled: "cancelled", session.Unknown: "no result seen",
}

// kindOf says how the row of a call is coloured.
func kindOf(c session.Call) string {
	switch c.Outcome {
	case session.Success:
		return "usual"
	case session.Errored, session.Rejected:
		return "failed"
	case session.Pending:
		return "waiting"
	}
	return "plain"
}

// noReason returns what stands in place of a reason that is not the model's, "" if it gave one. The sentence that
// the log has then is ours, and a reader would take it for the model's.
func noReason(r session.Rationale) string {
	switch {
	case r.Blocked:
		return "Safety withheld the reason"
	case r.Source == session.FromFallback:
		return "No reason given"
	case r.Text.Empty():
		return "No reason yet"
	}
	return ""
}

// took says how long a call took. A call that is pending or was not run, or that nobody timed or saw end, has no
// duration. One that nobody timed has about the time between the reports of its beginning and end, if there is such.
func took(c session.Call) string {
	switch c.Outcome {
	case session.Pending, session.Rejected, session.Unknown:
		return ""
	}
	switch {
	case !c.Untimed:
		return duration(c.Took)
	case c.Apart > 0:
		return "~" + duration(c.Apart)
	}
	return ""
}

// facts lists what is unusual about a call, a few words each.
func facts(c session.Call) (list []string) {
	if c.Approval != nil && c.Outcome != session.Rejected { // what came of it says that
		list = append(list, "approval: "+approvalStatus(c.Approval.Answer))
	}
	if _, ok := c.Edited(); ok {
		list = append(list, "parameters changed by a person")
	}
	list = append(list, confidence(c)...)
	if c.ReasonInferred {
		list = append(list, "reason matched by the tool's name and order")
	}
	if c.ResultInferred {
		list = append(list, "result matched by the tool's name and order")
	}
	return list
}

// approvalStatus puts the answer to an approval request into words.
func approvalStatus(a session.Answer) string {
	switch a {
	case "":
		return "awaited"
	case session.Approve:
		return "given"
	case session.Always:
		return "given for the session"
	case session.Deny:
		return "denied"
	}
	return string(a)
}

// beside says with the first call of each group which calls ran side by side. Calls are numbered on from first.
func beside(calls []session.Call, first int) map[int]string {
	groups := map[int][]int{}
	for i, c := range calls {
		if c.Group != nil {
			groups[*c.Group] = append(groups[*c.Group], first+i)
		}
	}
	said := map[int]string{}
	for _, numbers := range groups {
		if last := len(numbers) - 1; last > 0 {
			said[numbers[0]] = "Side by side: " + listed(numbers)
		}
	}
	return said
}

// listed returns numbers in words, as in "1 to 3", "1 and 2" or "1, 3 and 4".
func listed(numbers []int) string {
	last := len(numbers) - 1
	if last > 1 && numbers[last]-numbers[0] == last {
		return fmt.Sprintf("%d to %d", numbers[0], numbers[last])
	}
	words := make([]string, 0, len(numbers))
	for _, n := range numbers {
		words = append(words, fmt.Sprint(n))
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
