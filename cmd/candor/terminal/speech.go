package terminal

import (
	"strings"

	"candor/web/client"
)

// speech turns the events of threads into text as [Live] does, and adds what agents say
// while their models speak: whole sentences, each printed when it comes, and the rest when
// the step's event settles the text. Nothing is printed twice, also when a connection was
// lost and the text of a running step is repeated. Printed text stays: a text that turns out
// to be wrong is followed by a line that says so.
//
// What the agent that the user speaks to says is at the margin like an answer, since only
// the step's end tells whether it was one. What a sub-agent says has its name before it.
type speech struct {
	// whole makes each part end its line, for a screen with a prompt below. Otherwise a
	// paragraph continues on the line on which it was left.
	whole  bool
	open   *spoken // whose line is not ended yet; nil for none
	gap    bool    // an empty line comes next, below what an agent said
	drafts map[speaker]*spoken

	thought string // beside the narrative that comes next, which may have been spoken already
}

// speaker is an agent in a turn; the agent that the user speaks to has no name.
type speaker struct {
	thread string
	turn   int
	agent  string
}

// spoken is what an agent has said so far in a step.
type spoken struct {
	step    int
	next    int    // index of the next part; -1 when one was lost
	said    string // as received
	shown   string // the part of it that was printed; a beginning of said, or said one of it
	column  int    // cells of its last line that are used
	pending string // spaces to print before the next word
}

// lines returns what an event adds to the screen, "" for nothing. It ends a line unless a
// part of a text is left to be continued on it; end then has to come before other text.
func (p *speech) lines(l Live, e client.Event) string {
	if e.Type == "thinking" && e.Beside {
		p.thought = l.Lines(e)
		return ""
	}
	thought := p.thought
	if p.thought = ""; thought == "" {
		return p.words(l, e)
	}
	if e.Type == "thinking" {
		return p.words(l, e) + p.endBefore(thought)
	}
	return p.endBefore(thought) + p.words(l, e)
}

// words returns what an event adds, apart from the thought beside it.
func (p *speech) words(l Live, e client.Event) string {
	who := speaker{e.ThreadID, e.TurnNumber, e.Agent}
	switch e.Type {
	case "step_text":
		return p.hear(l, who, e)
	case "thinking":
		if e.Step > 0 && e.Answer != client.BehindAnswer { // neither the turn's beginning nor a summary
			return p.settle(l, who, e, e.Message)
		}
	case "handoff":
		if who.agent = e.From; who.agent != "" { // a sub-agent's answer
			return p.settle(l, who, e, e.Text)
		}
	case "response":
		text := p.settle(l, who, e, e.Content)
		p.forget(who)
		if stop := l.stopped(e.Stopped); stop != "" {
			text += p.endBefore(stop)
		}
		return text
	case "error":
		p.forget(who)
	case "status":
		if e.State == "interrupted" || e.State == "completed" {
			p.forget(who)
		}
	}
	return p.endBefore(l.Lines(e))
}

// end returns the line break that is missing before whole lines, "" if none is.
func (p *speech) end() string {
	if p.open == nil {
		return ""
	}
	p.open = nil
	return "\n"
}

// endBefore returns text behind the line breaks that it needs. Empty text needs none.
func (p *speech) endBefore(text string) string {
	if text == "" {
		return ""
	}
	breaks := p.end()
	if p.gap && !strings.HasPrefix(text, "\n") {
		breaks += "\n"
	}
	p.gap = false
	return breaks + text
}

// hear returns what a part of a step's text adds.
func (p *speech) hear(l Live, who speaker, e client.Event) string {
	d := p.drafts[who]
	if d == nil || d.step != e.Step {
		d = &spoken{step: e.Step}
		if p.drafts == nil {
			p.drafts = map[speaker]*spoken{}
		}
		p.drafts[who] = d
	}
	switch {
	case e.Index == 0 && e.Text == "":
		d.said, d.next = "", 0
		return p.takeBack(l, d)
	case e.Index == 0:
		d.said, d.next = "", 0
	case e.Index != d.next:
		d.next = -1 // a part was lost; the step's event has it
		return ""
	}
	d.next++
	d.said += e.Text
	if strings.HasPrefix(d.shown, d.said) { // repeated after a lost connection
		return ""
	}
	return p.catchUp(l, who, d)
}

// catchUp returns what of a draft was not printed yet.
func (p *speech) catchUp(l Live, who speaker, d *spoken) (text string) {
	if !strings.HasPrefix(d.said, d.shown) {
		text = p.takeBack(l, d)
	}
	rest, begins := d.said[len(d.shown):], d.shown == ""
	d.shown = d.said
	if who.agent != "" {
		if rest = CleanLine(rest); rest == "" {
			return text
		}
		return text + p.endBefore(l.hang("  ○ ", dim, fit(CleanLine(who.agent), 32)+": "+rest))
	}
	if p.open != d {
		text += p.end()
	}
	if begins {
		text += "\n"
		p.gap = false
	}
	return text + p.flow(l.Style, d, rest)
}

// flow returns the next piece of a text, wrapped behind what is on the text's last line.
func (p *speech) flow(s Style, d *spoken, piece string) string {
	piece = Clean(piece)
	if p.open != d && d.column > 0 { // its line was ended since
		d.column, d.pending = 0, ""
		piece = strings.TrimPrefix(strings.TrimLeft(piece, " "), "\n")
	}
	piece = d.pending + piece
	body := strings.TrimRight(piece, " ")
	d.pending = piece[len(body):]
	if body == "" {
		return ""
	}
	var out strings.Builder
	for i, line := range strings.Split(body, "\n") {
		if i > 0 {
			out.WriteByte('\n')
			d.column = 0
		}
		first := 0
		if s.Width > 0 {
			first = max(1, s.Width-d.column)
		}
		lines := wrapUnder(line, first, s.Width)
		if len(lines) > 1 {
			d.column = 0
		}
		d.column += cellWidth(lines[len(lines)-1])
		out.WriteString(strings.Join(lines, "\n"))
	}
	p.open = nil
	switch {
	case d.column > 0 && p.whole:
		out.WriteByte('\n')
	case d.column > 0:
		p.open = d
	}
	return out.String()
}

// takeBack says that what was printed of a draft does not count, if anything was.
func (p *speech) takeBack(l Live, d *spoken) string {
	if d.shown == "" {
		return ""
	}
	d.shown, d.column, d.pending = "", 0, ""
	p.gap = false
	return p.end() + l.hang("  ┄ ", yellow, "What it said above was taken back.")
}

// settle returns what the final text of a step adds to the part that was printed.
func (p *speech) settle(l Live, who speaker, e client.Event, final string) string {
	d := p.drafts[who]
	if d == nil || d.shown == "" || e.Step > 0 && e.Step != d.step {
		return p.endBefore(l.Lines(e))
	}
	delete(p.drafts, who)
	if !strings.HasPrefix(final, d.shown) {
		return p.takeBack(l, d) + p.endBefore(l.Lines(e))
	}
	d.said = strings.TrimRight(final, " \n")
	switch rest := len(d.said) > len(d.shown); {
	case e.Type == "handoff" && rest:
		return p.endBefore(l.Lines(e))
	case e.Type == "handoff":
		return p.endBefore(l.hang("  ┄ ← "+fit(CleanLine(who.agent), 32)+": ", dim, "(what it said last)"))
	case !rest && who.agent != "":
		return ""
	}
	text := ""
	if len(d.said) > len(d.shown) {
		text = p.catchUp(l, who, d)
	}
	p.gap = p.gap || e.Type == "thinking" && who.agent == ""
	return text + p.end()
}

// forget drops the drafts of a turn that has ended.
func (p *speech) forget(turn speaker) {
	for who := range p.drafts {
		if who.thread == turn.thread && who.turn == turn.turn {
			delete(p.drafts, who)
		}
	}
}
