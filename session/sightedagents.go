package session

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file has the sub-agents of attached agents: what they are called, and what was handed to them and back.

// handoffs returns the tasks that calls gave to sub-agents, and the answers of these.
func (p *projection) handoffs() (all []HandoffAt) {
	known := map[string]bool{}
	// A call may begin many sub-agents, and many facts may tell of it.
	calls, ends := map[string]Call{}, p.ends()
	for _, s := range p.begun {
		if len(p.calls[s.Call]) == 0 || known[s.Sub] {
			continue
		}
		known[s.Sub] = true
		c, ok := calls[s.Call]
		if !ok {
			c = p.call(s.Call, 0, nil)
			calls[s.Call] = c
		}
		to := p.names[s.Sub]
		all = append(all, HandoffAt{Handoff{Call: s.Call, From: c.Agent, To: to, Text: c.Described}, c.StartedAt})
		if end, ok := ends[s.Sub]; ok {
			// Of calls that ran side by side a channel may know the end of none.
			at := end.At
			if at.IsZero() {
				at = c.StartedAt.Add(c.Took)
			}
			all = append(all, HandoffAt{Handoff{Call: s.Call, From: to, To: c.Agent, Text: end.Ended.Response}, at})
		}
	}
	slices.SortStableFunc(all, func(a, b HandoffAt) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.To, b.To))
	})
	return all
}

// ends returns the ends of sub-agents that have an answer, each as the channel tells it whose word counts most.
func (p *projection) ends() map[string]sightedFact {
	all := map[string]sightedFact{}
	for _, s := range p.ended {
		if end, ok := all[s.Sub]; !s.Ended.Response.Empty() && (!ok || s.better(end)) {
			all[s.Sub] = s
		}
	}
	return all
}

// agentNames gives each sub-agent the name of its kind and a number, in the order in which they were first seen by the
// agent's clock. The name may change while facts still come: an agent whose kind is not known yet is called agent.
func (all sightings) agentNames() map[string]string {
	first, kindOf := map[string]time.Time{}, map[string]sightedFact{}
	for _, s := range all {
		if s.Sub == "" {
			continue
		}
		first[s.Sub] = earlier(first[s.Sub], s.At)
		if best, ok := kindOf[s.Sub]; s.Spawned != nil && (!ok || s.better(best)) {
			kindOf[s.Sub] = *s
		}
	}
	var subs []string
	for sub := range first {
		subs = append(subs, sub)
	}
	slices.SortFunc(subs, func(a, b string) int {
		return cmp.Or(first[a].Compare(first[b]), cmp.Compare(a, b))
	})
	names, counts := map[string]string{"": ""}, map[string]int{}
	for _, sub := range subs {
		kind := "agent"
		if k := kindOf[sub]; k.Spawned != nil {
			kind = cmp.Or(agentName(k.Spawned.Kind.String()), kind)
		}
		counts[kind]++
		names[sub] = kind + "_" + strconv.Itoa(counts[kind])
	}
	return names
}

// Names of agents are in the text of every view and in addresses, so that nothing of a stranger's text may stand in
// them but what is plain.

// agentName returns at most 40 letters, digits and dashes of a text, which is what names of agents are made of.
func agentName(kind string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r == ' ', r == '_':
			return '-'
		}
		return -1
	}, kind)
	return strings.Trim(clean[:min(len(clean), 40)], "-")
}
