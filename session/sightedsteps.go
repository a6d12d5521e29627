package session

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"candor/safety"
)

// sightedStep is an answer of the model with the calls in it: what some channel says belongs together. Steps are
// not known by a number of their own: no channel counts them, and each may know of calls that another has not seen.
type sightedStep struct {
	sub   string
	first string        // of its calls and groups, in the alphabet; orders steps that began together
	at    time.Time     // the earliest that any channel tells
	calls []string      // ids, in the alphabet
	facts []sightedFact // texts, sealed reasoning, stops and usage
}

// projection sorts a turn's facts into steps and calls.
type projection struct {
	over   bool
	answer string
	names  map[string]string // of sub-agents
	calls  map[string][]sightedFact
	begun  []sightedFact // Spawned
	ended  []sightedFact // Ended, of sub-agents
	steps  []*sightedStep
	was    map[string]string // ids of calls before they had a name

	batched map[string]int // the place of a call among those of its answer, where a channel lists them
}

// newProjection sorts facts. A text that is the turn's answer is no narrative.
//
// Steps are made of what belongs together by anybody's word: a channel may name the model's answer that a call is part
// of, and then all calls of that name are one step; it may list the calls of an answer instead; and one
// that does neither leaves each call a step of its own. Names of different channels never meet, since
// programs name one thing differently in each: the calls they share join them. What two channels say of one call
// thus makes a larger step, never two.
func newProjection(all sightings, said map[string]Call, over bool, answer string) *projection {
	all, was := all.named(said)
	all = all.apart()
	p := &projection{over: over, answer: answer, names: all.agentNames(), calls: map[string][]sightedFact{}, was: was,
		batched: map[string]int{}}
	together, ofTexts := unions{}, all.callsOfTexts()
	var texts []sightedFact
	for _, fact := range all {
		s := *fact
		switch s.kind() {
		case "called":
			p.calls[s.Call] = append(p.calls[s.Call], s)
			together.join(callNode(s.Call), s.groupNode())
		case "returned":
			p.calls[s.Call] = append(p.calls[s.Call], s)
		case "batched":
			for i, id := range s.Batched.Calls {
				p.batched[id] = max(p.batched[id], i)
				together.join(callNode(id), callNode(s.Batched.Calls[0]))
			}
		case "spawned":
			p.begun = append(p.begun, s)
		case "ended":
			p.ended = append(p.ended, s)
		case "said", "sealed", "stopped", "used":
			if call := ofTexts[s.groupNode()]; call != "" && s.loose() {
				together.join(callNode(call), s.groupNode())
			}
			texts = append(texts, s)
		}
	}
	maps.DeleteFunc(p.calls, func(_ string, facts []sightedFact) bool {
		return !slices.ContainsFunc(facts, func(s sightedFact) bool { return s.Called != nil })
	})
	byRoot := p.callSteps(together)
	p.texts(wholeTexts(texts), together, byRoot)
	slices.SortFunc(p.steps, (*sightedStep).compare)
	return p
}

// callNode and groupNode name the nodes that are joined into steps.
func callNode(id string) string { return "call\x00" + id }

// groupNode names the model's answer that a fact is part of. Without one it is that of its call.
func (x sightedFact) groupNode() string {
	if x.Group == "" && x.Call != "" {
		return callNode(x.Call)
	}
	return strings.Join([]string{"group", string(x.channel), x.Sub, x.Group}, "\x00")
}

// callSteps makes the steps that have calls, and returns them by the node that stands for each. A step begins when the
// first of its calls does. Its agent is that of its calls; should channels disagree about that, one is chosen by the
// alphabet, so that it is at least always the same one.
func (p *projection) callSteps(together unions) map[string]*sightedStep {
	byRoot := map[string]*sightedStep{}
	for _, id := range slices.Sorted(maps.Keys(p.calls)) {
		root := together.root(callNode(id))
		step := byRoot[root]
		if step == nil {
			step = &sightedStep{first: id}
			byRoot[root] = step
			p.steps = append(p.steps, step)
		}
		step.calls = append(step.calls, id)
		for _, s := range p.calls[id] {
			step.sub = max(step.sub, s.Sub)
			if s.Called != nil {
				step.at = earlier(step.at, s.At)
			}
		}
	}
	return byRoot
}

// texts gives each text and usage to the step of its group, or of the call before which it was said. Without a call in
// its group it is a step by itself. What the file tells another channel need not tell.
func (p *projection) texts(texts []sightedFact, together unions, byRoot map[string]*sightedStep) {
	for _, s := range texts {
		if s.channel != FromFile && s.Said != nil && toldByFile(s, texts) {
			continue
		}
		root := together.root(s.groupNode())
		step := byRoot[root]
		if step == nil {
			step = &sightedStep{sub: s.Sub, first: root, at: s.At}
			byRoot[root] = step
			p.steps = append(p.steps, step)
		}
		step.facts = append(step.facts, s)
		if len(step.calls) == 0 {
			step.at = earlier(step.at, s.At)
		}
	}
}

// toldByFile reports whether the agent's file has a text that another channel told.
func toldByFile(s sightedFact, texts []sightedFact) bool {
	return slices.ContainsFunc(texts, func(f sightedFact) bool {
		return f.channel == FromFile && f.Said != nil && f.Sub == s.Sub &&
			strings.Contains(f.Said.Text.String(), strings.TrimSpace(s.Said.Text.String()))
	})
}

// compare orders steps by when they began. Those that began at once, which times of whole milliseconds make likely,
// stand in the order of their agents' ids and then of their calls', which has no meaning and is always the same.
func (s *sightedStep) compare(t *sightedStep) int {
	return cmp.Or(s.at.Compare(t.at), cmp.Compare(s.sub, t.sub), cmp.Compare(s.first, t.first))
}

// turnSteps returns the steps as a turn has them, numbered for each agent from 1. A step without calls is shown for
// its text alone, and left out if that is the turn's answer. Calls of a step with several have a parallel group, as
// the model asked for all of them at once, however the program then ran them.
func (p *projection) turnSteps() (all []Step) {
	numbers, groups := map[string]int{}, 0
	var narrators []narrator
	for _, s := range p.steps {
		step := Step{Agent: p.names[s.sub]}
		said, from := s.narrative()
		thought, _ := s.saidBy(FromSummary)
		if said.Source == FromModel {
			step.Thought, step.ThoughtBlocked = thought.Text, thought.Blocked
			if len(s.calls) == 0 && p.isAnswer(s, said.Text) { // the words are shown as that, and the thought is left
				step.Thought, step.ThoughtBlocked, said = safety.Text{}, false, thought
			}
		}
		step.Narrative, step.NarrativeSource, step.NarrativeBlocked = said.Text, said.Source, said.Blocked
		step.Stop = s.stop()
		if len(s.calls) == 0 {
			if step.Narrative.Empty() && !step.NarrativeBlocked || p.isAnswer(s, step.Narrative) {
				continue
			}
			step.Answer = step.NarrativeSource == FromSummary && p.over
		}
		numbers[s.sub]++
		step.Number, step.Usage, step.Ended = numbers[s.sub], s.usage(), true
		step.Sealed = s.sealed()
		var group *int
		if len(s.calls) > 1 {
			n := groups
			group = &n
			groups++
		}
		step.Calls = p.stepCalls(s, step.Number, group)
		p.addBefore(s, from, step.Calls)
		for _, c := range step.Calls {
			step.Ended = step.Ended && c.Outcome != Pending
		}
		all, narrators = append(all, step), append(narrators, narrator{from, s.places(from)})
	}
	giveReasons(all, narrators)
	return all
}

// isAnswer reports whether a text without calls is the turn's answer, of which hooks may report only some messages.
func (p *projection) isAnswer(s *sightedStep, text safety.Text) bool {
	loose := slices.ContainsFunc(s.facts, func(f sightedFact) bool { return f.loose() })
	return text.String() == p.answer || loose && strings.Contains(p.answer, text.String())
}

// narrative returns what the model said before the calls, as the channel has it whose word counts most, and that
// channel. Its own words come before a summary of its reasoning.
func (s *sightedStep) narrative() (said SightedText, from Channel) {
	if said, from = s.saidBy(FromModel); from != "" {
		return said, from
	}
	if said, from = s.saidBy(FromSummary); from != "" {
		return said, from
	}
	return s.saidBy(FromFallback) // what a damaged file lost
}

// saidBy returns what the step has of one source, as the channel has it whose word counts most, and that channel.
func (s *sightedStep) saidBy(source Source) (said SightedText, from Channel) {
	for _, c := range channels {
		var parts []safety.Text
		blocked := false
		for _, f := range s.inOrder(c) {
			if f.Said != nil && f.Said.Source == source {
				parts, blocked = append(parts, f.Said.Text), blocked || f.Said.Blocked
			}
		}
		if blocked {
			return SightedText{Source: source, Blocked: true}, c
		}
		if len(parts) > 0 {
			return SightedText{Text: safety.JoinParagraphs(parts...), Source: source}, c
		}
	}
	return SightedText{}, ""
}

// stop returns why the model stopped, as the channel says whose word counts most.
func (s *sightedStep) stop() Stop {
	for _, c := range channels {
		for _, f := range s.inOrder(c) {
			if f.Stopped != nil {
				return f.Stopped.Stop
			}
		}
	}
	return ""
}

// stop returns why the model stopped in the lead agent's last answer, if that called nothing.
func (p *projection) stop() Stop {
	for _, s := range slices.Backward(p.steps) {
		if s.sub == "" {
			if len(s.calls) > 0 {
				break
			}
			return s.stop()
		}
	}
	return ""
}

// inOrder returns the facts of a channel as they were said.
func (s *sightedStep) inOrder(c Channel) []sightedFact {
	facts := slices.DeleteFunc(slices.Clone(s.facts), func(f sightedFact) bool { return f.channel != c })
	slices.SortStableFunc(facts, func(a, b sightedFact) int {
		if a.Group == b.Group {
			return cmp.Compare(a.Index, b.Index)
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Group, b.Group))
	})
	return facts
}

// usage returns the tokens of the step, as the channel counts them whose word counts most.
func (s *sightedStep) usage() (u Usage) {
	for _, c := range channels {
		for _, f := range s.facts {
			if f.channel == c && f.Used != nil {
				u = u.plus(f.Used.Usage)
			}
		}
		if u != (Usage{}) {
			return u
		}
	}
	return u
}

// sealed returns how much of the step's reasoning only the provider can read, as the channel says that saw most.
func (s *sightedStep) sealed() (most Sealed) {
	for _, c := range channels {
		var of Sealed
		for _, f := range s.facts {
			if f.channel == c && f.Sealed != nil {
				of = of.Signed(f.Sealed.Bytes)
			}
		}
		if of.Bytes > most.Bytes {
			most = of
		}
	}
	return most
}

// usage returns the tokens of the turn. Nothing joins what two channels tell of an answer without calls, so of an
// agent's answers of that kind those of one channel are counted: of the one whose word counts most.
func (p *projection) usage() (u Usage) {
	counts := map[string]Channel{} // by agent
	for _, s := range p.steps {
		for _, f := range s.facts {
			best := counts[s.sub]
			if len(s.calls) == 0 && f.Used != nil && (best == "" || f.channel.rank() < best.rank()) {
				counts[s.sub] = f.channel
			}
		}
	}
	for _, s := range p.steps {
		if len(s.calls) > 0 || slices.ContainsFunc(s.facts, func(f sightedFact) bool {
			return f.channel == counts[s.sub]
		}) {
			u = u.plus(s.usage())
		}
	}
	return u
}

// unions are sets of nodes that belong together, each with one of them that stands for it: the first in the alphabet,
// so that the order in which they were joined does not matter.
type unions map[string]string

// root returns the node that stands for a node's set. The way to it is halved each time, so that no chain stays long.
func (u unions) root(node string) string {
	for next := u[node]; next != "" && next != node; next = u[node] {
		if far := u[next]; far != "" {
			u[node] = far
		}
		node = next
	}
	return node
}

// join makes the sets of two nodes one, for which the first in the alphabet stands.
func (u unions) join(a, b string) {
	a, b = u.root(a), u.root(b)
	if a != b {
		u[max(a, b)] = min(a, b)
	}
}
