package terminal

import (
	"cmp"
	"fmt"
	"strings"

	"candor/web/client"
)

// maxAgents bounds the sub-agents of a turn whose names are remembered. Others have their ids.
const maxAgents = 64

// agentNames are what people call the sub-agents of a turn, by their ids. A second agent of the same name has its
// number behind it, in the order in which they got their tasks. The zero value is ready to use.
type agentNames struct{ names map[string]string }

// see remembers who got a task. It reports whether the hand-off is a task, and not the answer to one.
func (n *agentNames) see(h client.Handoff) bool {
	if !strings.HasPrefix(h.To, h.From) || len(h.To) <= len(h.From) {
		return false
	}
	if name := fit(CleanLine(h.Called), 32); name != "" && n.names[h.To] == "" && len(n.names) < maxAgents {
		same := 1
		for _, other := range n.names {
			if other == name || strings.HasPrefix(other, name+" ") {
				same++
			}
		}
		if same > 1 {
			name = fmt.Sprintf("%s %d", name, same)
		}
		if n.names == nil {
			n.names = map[string]string{}
		}
		n.names[h.To] = name
	}
	return true
}

// of returns the name of an agent: its id if nobody named it, "" for the one that the user speaks to.
func (n agentNames) of(id string) string { return cmp.Or(n.names[id], id) }

// namesIn returns the names of the sub-agents of a turn.
func namesIn(r *client.Reasoning) (n agentNames) {
	for _, h := range r.Handoffs {
		n.see(h)
	}
	return n
}

// modelOf says which model an agent asks, and with which effort, "" if that is not known.
func modelOf(p client.Profile) string {
	words := fit(CleanLine(p.Model), 48)
	if effort := fit(CleanLine(p.Effort), 16); effort != "" {
		words = strings.TrimPrefix(words+", effort "+effort, ", ")
	}
	return words
}

// liveHandoff renders a task that goes to a sub-agent with who that is, or its result that comes back.
//
//	┄ → helper (gpt-5-mini, effort high): find the cause
//	┄ ← helper: the index is missing
func (s Style) liveHandoff(n *agentNames, e client.Event) string {
	h := client.Handoff{CallID: e.CallID, From: e.From, To: e.To, Text: e.Text,
		Profile: client.Profile{Called: e.Name, Model: e.Model, Effort: e.Effort}}
	arrow, id := "← ", h.From
	if n.see(h) {
		arrow, id = "→ ", h.To
	}
	who := arrow + fit(CleanLine(n.of(id)), 36)
	if what := modelOf(h.Profile); what != "" {
		who += " (" + what + ")"
	}
	return s.inkLines("  ┄ ", 4, 4, dim, who+": "+redacted(truncate(CleanLine(h.Text), maxParams)))
}

// taken says who works on a sub-agent's first step in a turn that is read afterwards, "" if nobody knows more than
// its name.
func (s Style) taken(name string, p client.Profile) string {
	what := modelOf(p)
	if what == "" {
		return ""
	}
	return "\n" + s.inkLines("  ", 2, 2, dim, "→ "+name+" ("+what+")")
}
