package session

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"candor/safety"
)

// An agent of another program has no parameter for a reason. It may be asked to give one in its text, a line for each
// call right before the calls: "Reason for Bash: to see why the test fails". Such a line is the reason of that call,
// and no narrative.

// reasonLine matches a line that gives the reason for a call, with the marks and numbers of lists and the emphasis that
// models write around it, perhaps with the call's object in brackets, and with a dash for the colon. Its groups are the
// name of the tool and the reason, which may begin on the next line. A line that is quoted is none: what a model quotes
// are the words of a file or of a tool's result, which would have a reason of their own making otherwise.
var reasonLine = regexp.MustCompile(
	"(?i)^[\\s*_+\u2022-]*(?:\\(?\\d{1,3}[.)]+)?[\\s*_]*reason for [*_`\"']*([\\w./-]{1,128}?)[*_`\"']*" +
		"(?:\\s?[(\\[].{0,200}?[)\\]][*_`]*)?(?:\\s*:|\\s+[-\u2013\u2014]{1,2}\\s)[*_\\s]*(|[^\\s*_].*?)[*_\\s]*$")

// newItem matches a line that begins something else than the line before it: an item of a list, a heading, a quotation.
var newItem = regexp.MustCompile("^\\s*(?:[-*+#>|\u2022]|\\(?\\d{1,3}[.)])")

// spoken is a narrative, line by line.
type spoken struct {
	step    int // index of the step that has it
	channel Channel
	lines   []spokenLine
}

// spokenLine is a line of a narrative. One that gives no reason has no tool.
type spokenLine struct {
	text, reason safety.Text
	tool         string
	taken        bool // by a call, whose reason it is
	more         int  // lines behind it that the reason goes on in
}

// newSpoken returns a narrative whose lines give reasons; ok is false for one of which none does.
func newSpoken(step int, c Channel, narrative safety.Text) (s *spoken, ok bool) {
	s = &spoken{step: step, channel: c}
	var code codeBlocks
	for line := range narrative.Lines() {
		one := spokenLine{text: line}
		if code.has(line.String()) {
			s.lines = append(s.lines, one)
			continue
		}
		if at := reasonLine.FindStringSubmatchIndex(line.String()); at != nil && at[5]-at[4] <= maxRationale {
			one.tool, one.reason = line.String()[at[2]:at[3]], line.Part(at[4], at[5])
		} else if last := s.openReason(); last != nil && last.goesOn(line) {
			last.reason, last.more = safety.JoinPieces(last.reason, gap(last.reason), trimmed(line)), last.more+1
		}
		s.lines = append(s.lines, one)
	}
	for i := range s.lines {
		if s.lines[i].reason.Empty() {
			s.lines[i].tool = ""
		}
		ok = ok || s.lines[i].tool != ""
	}
	return s, ok
}

// maxMore bounds the lines that a reason goes on in.
const maxMore = 3

// openReason returns the reason that the last line read belongs to, nil if there is none.
func (s *spoken) openReason() *spokenLine {
	for i := len(s.lines) - 1; i >= 0 && i >= len(s.lines)-1-maxMore; i-- {
		if l := &s.lines[i]; l.tool != "" {
			if i+l.more == len(s.lines)-1 {
				return l
			}
			break
		}
	}
	return nil
}

// goesOn reports whether a line is the rest of a reason that the model wrapped: the reason has not ended like a
// sentence, and the line begins like the middle of one. A reason that begins on the line may begin in any way.
func (l *spokenLine) goesOn(line safety.Text) bool {
	text, so := strings.TrimSpace(line.String()), l.reason.String()
	if text == "" || l.more == maxMore || newItem.MatchString(text) || len(so)+len(text) > maxRationale {
		return false
	}
	if so == "" {
		return true
	}
	first, _ := utf8.DecodeRuneInString(text)
	return !strings.ContainsAny(so[len(so)-1:], ".!?:") && !unicode.IsUpper(first)
}

// gap returns what stands between the lines of a reason.
func gap(so safety.Text) safety.Text {
	if so.Empty() {
		return safety.Text{}
	}
	return safety.Literal(" ")
}

// trimmed returns a line without the blanks and the emphasis around it.
func trimmed(line safety.Text) safety.Text {
	text := line.String()
	from := len(text) - len(strings.TrimLeft(text, " \t*_"))
	return line.Part(from, max(from, len(strings.TrimRight(text, " \t*_\r"))))
}

// codeBlocks finds the lines of a text that are code in Markdown: those of fenced blocks, with the fences, and those
// that are indented by four or more spaces. A fence that is never closed goes on to the end.
type codeBlocks struct{ fence string } // that is open

// has reports whether the next line is code.
func (c *codeBlocks) has(line string) bool {
	text := strings.TrimSpace(line)
	fence := text[:len(text)-len(strings.TrimLeft(text, "`"))]
	if fence == "" {
		fence = text[:len(text)-len(strings.TrimLeft(text, "~"))]
	}
	switch {
	case c.fence != "":
		if text == fence && strings.HasPrefix(fence, c.fence) {
			c.fence = ""
		}
		return true
	// Behind the backticks of a fence stands no other; else it is code within a line.
	case len(fence) >= len("```") && !strings.Contains(text[len(fence):], "`"):
		c.fence = fence
		return true
	}
	return strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
}

// take returns the first reason for a call of a tool that no call has, yet.
func (s *spoken) take(tool string) (reason safety.Text, ok bool) {
	at := slices.IndexFunc(s.lines, func(l spokenLine) bool { return !l.taken && strings.EqualFold(l.tool, tool) })
	if at < 0 {
		at = slices.IndexFunc(s.lines, func(l spokenLine) bool {
			return !l.taken && l.tool != "" && sameTool(l.tool,
				tool)
		})
	}
	if at < 0 {
		return safety.Text{}, false
	}
	for i := at; i <= at+s.lines[at].more; i++ {
		s.lines[i].taken = true
	}
	return s.lines[at].reason, true
}

// sameTool reports whether two names may be of one tool of an MCP server, which agents and models call
// mcp__server__tool,
// server.tool or just tool.
func sameTool(a, b string) bool {
	x, y := toolParts(a), toolParts(b)
	n := min(len(x), len(y))
	return n > 0 && max(len(x), len(y)) > 1 && slices.EqualFunc(x[len(x)-n:], y[len(y)-n:], strings.EqualFold)
}

// toolParts returns the server and the tool that a name has.
func toolParts(name string) []string {
	parts := strings.FieldsFunc(strings.ReplaceAll(name, "__", "/"), func(r rune) bool { return r == '/' || r == '.' })
	if len(parts) > 1 && strings.EqualFold(parts[0], "mcp") {
		parts = parts[1:]
	}
	return parts
}

// rest returns the narrative without the lines that are reasons of calls, and without the empty lines that these leave.
func (s *spoken) rest() safety.Text {
	var kept []safety.Text
	for _, l := range s.lines {
		if l.taken || blank(l.text) && (len(kept) == 0 || blank(kept[len(kept)-1])) {
			continue
		}
		kept = append(kept, l.text)
	}
	if last := len(kept) - 1; last >= 0 && blank(kept[last]) {
		kept = kept[:last]
	}
	return safety.JoinLines(kept...)
}

// blank reports whether nothing is to be seen of a line.
func blank(line safety.Text) bool { return strings.TrimSpace(line.String()) == "" }

// narrator is the channel of a step's narrative, and whether it names the model's answer that the narrative is part of.
type narrator struct {
	channel Channel
	placed  bool
}

// places reports whether a channel that told a text of the step names the model's answer that it is part of.
func (s *sightedStep) places(c Channel) bool {
	return slices.ContainsFunc(s.facts, func(f sightedFact) bool {
		return f.channel == c && f.Said != nil && f.Group != "" && !f.loose()
	})
}

// giveReasons gives calls the reasons that the narratives have for them. The lines for a tool belong to its calls in
// the order in which the model made them. Lines for which there is no call, yet, wait for the next ones of the same
// agent until it says something else: hooks tell of calls one by one. Where the channel of the words names the answer
// that they are part of, all calls of that answer are in its step, and no later one is meant. Only the model's own
// words give reasons, and no summary of its thoughts.
func giveReasons(steps []Step, narrators []narrator) {
	var all []*spoken
	open := map[string]*spoken{} // by agent
	for i := range steps {
		step := &steps[i]
		if step.NarrativeSource == FromModel {
			delete(open, step.Agent)
			if s, ok := newSpoken(i, narrators[i].channel, step.Narrative); ok {
				open[step.Agent], all = s, append(all, s)
			}
		}
		if s := open[step.Agent]; s != nil {
			s.give(step.Calls)
			if narrators[i].placed && len(step.Calls) > 0 {
				delete(open, step.Agent)
			}
		}
	}
	for _, s := range all {
		// A step without calls is there for its text.
		if step := &steps[s.step]; len(step.Calls) > 0 {
			if step.Narrative = s.rest(); step.Narrative.Empty() {
				step.NarrativeSource = ""
			}
		}
	}
}

// give gives reasons to those calls that have none.
func (s *spoken) give(calls []Call) {
	for i := range calls {
		c := &calls[i]
		if c.Rationale.Source != FromFallback || c.Rationale.Blocked {
			continue
		}
		if reason, ok := s.take(c.Tool.String()); ok {
			c.Rationale = Rationale{Text: reason, Source: FromModel}
			c.Sighted.Reason = withChannel(c.Sighted.Reason, s.channel)
		}
	}
}
