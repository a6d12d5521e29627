package openwop

import (
	"cmp"
	"maps"
	"slices"

	"candor/safety"
	"candor/session"
)

// block is a text of an agent that is shown while it is spoken.
type block struct {
	step  int
	next  int // sequence of its next delta
	bytes int // of all its parts
}

// level returns what the client sees of reasoning.
func (p *Projector) level() Verbosity { return least(p.Verbosity, p.Limit) }

// tokenBytes returns how many bytes a summary may have: a limit in tokens, of so many bytes each.
func (p *Projector) tokenBytes() int {
	return bytesPerToken * cmp.Or(max(p.TokenLimit, 0), DefaultTokenLimit)
}

// said returns as much of a text as the client may see.
func (p *Projector) said(t safety.Text) excerpt {
	if p.level() == Summary {
		return summaryOf(t, p.tokenBytes())
	}
	return excerpt{text: t}
}

// spoke shows a part of a text. A part with index 0 withdraws those before it.
func (p *Projector) spoke(agent string, b session.Spoken) {
	if !p.Streaming || p.Verbosity == Off {
		return
	}
	open := p.blocks[agent]
	if open != nil && (b.Index == 0 || open.step != b.Step) {
		p.closeBlock(agent, closedWithdrawn)
		open = nil
	}
	if b.Text.Empty() {
		return
	}
	if open == nil {
		open = &block{step: b.Step}
		p.blocks[agent] = open
	}
	p.delta(agent, open, b.Text)
}

// delta shows a part of an open block, as far as a summary has room.
func (p *Projector) delta(agent string, open *block, t safety.Text) {
	room := p.tokenBytes() - open.bytes
	open.bytes += len(t.String())
	part := excerpt{text: t}
	if p.level() != Full {
		part = startOf(t, room)
	}
	if p.Verbosity == Summary && startOf(t, room).String() == "" {
		return // the rest is in nobody's summary
	}
	open.next++
	if p.level() == Off || part.String() == "" {
		p.hide()
		return
	}
	p.add(AgentReasoningDelta, p.node(), "", agentReasoningDelta{
		AgentID: p.idOf(agent), Delta: part, Sequence: open.next - 1, Verbosity: p.level(), Step: open.step,
	})
}

// narrated shows what an agent said before its calls, or a summary of its reasoning.
func (p *Projector) narrated(agent string, b session.Narrated) {
	open := p.blocks[agent] != nil
	if open && b.Answer {
		p.closeBlock(agent, closedAnswer) // what was spoken is the answer, not this
		open = false
	}
	delete(p.blocks, agent)
	if !b.Thought.Empty() {
		p.reasoned(agent, "", agentReasoned{Step: b.Step, Source: session.FromSummary, Reasoning: p.said(b.Thought)})
	}
	said := agentReasoned{Step: b.Step, Source: b.Source, Stop: b.Stop, StopWords: ours(b.Stop.Words())}
	switch {
	case b.Blocked:
		said.Closed = closedWithheld
	case !b.Text.Empty():
		said.Reasoning = p.said(b.Text)
	case open:
		said.Closed = closedWithdrawn
	case b.Stop == "":
		return
	}
	p.reasoned(agent, "", said)
}

// closeBlock ends an open block without a text of its own.
func (p *Projector) closeBlock(agent string, why closed) {
	open := p.blocks[agent]
	if open == nil {
		return
	}
	delete(p.blocks, agent)
	p.reasoned(agent, "", agentReasoned{Step: open.step, Closed: why})
}

// closeAll ends all open blocks. The lead agent's last text is the answer of a turn that has one.
func (p *Projector) closeAll() {
	for _, agent := range slices.Sorted(maps.Keys(p.blocks)) {
		why := closedWithdrawn
		if agent == "" && p.turn.State == session.Completed {
			why = closedAnswer
		}
		p.closeBlock(agent, why)
	}
}

// reasoned adds an agent.reasoned, unless the run shows no reasoning.
func (p *Projector) reasoned(agent string, cause ours, said agentReasoned) {
	if p.Verbosity == Off {
		return
	}
	if p.level() == Off {
		p.hide()
		return
	}
	said.AgentID, said.Verbosity = p.idOf(agent), p.level()
	if said.Closed != "" {
		said.Verbosity, said.Source = Off, ""
	}
	p.add(AgentReasoned, p.node(), cause, said)
}
