package terminal

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

// task is the event of a hand-off to an agent with a name.
func task(from, to, name string) client.Event {
	return client.Event{Type: "handoff", ThreadID: "t", TurnNumber: 1, From: from, To: to, Name: name, Text: "look",
		Model: "small-1", Effort: "high"}
}

func TestASubAgentIsCalledByItsName(t *testing.T) {
	b := &board{}
	assert.Equal(t, "  ┄ → helper (small-1, effort high): look\n", played(b, task("", "delegate_1", "helper")))
	assert.Equal(t, "  ┄ → helper 2 (small-1, effort high): look\n", played(b, task("", "delegate_2", "helper")))
	assert.Contains(t, played(b, task("delegate_1", "delegate_1/delegate_3", "scout")), "→ scout (")
	assert.Contains(t, played(b, task("", "audit_4", "")), "→ audit_4 (", "nobody named it")
	started := callEvent("tool_started", "a", "grep", "", -1)
	started.Agent = "delegate_2"
	ended := callEvent("tool_completed", "a", "grep", "success", -1)
	ended.Agent, ended.Line = "delegate_2", "1 match"
	assert.Contains(t, played(b, started, ended), "✓ helper 2/grep")
	said := client.Event{Type: "thinking", ThreadID: "t", TurnNumber: 1, Message: "I look."}
	said.Step, said.Agent = 1, "delegate_1"
	assert.Contains(t, played(b, said), "helper: I look.")
	answer := client.Event{Type: "handoff", ThreadID: "t", TurnNumber: 1, From: "delegate_2", Text: "seen"}
	assert.Equal(t, "  ┄ ← helper 2: seen\n", played(b, answer))
	played(b, client.Event{Type: "thinking", ThreadID: "t", TurnNumber: 2, MessageID: "m"})
	assert.Contains(t, played(b, task("", "delegate_9", "helper")), "→ helper (", "another turn has other agents")
}

func TestASubAgentIsCalledByItsNameAfterwards(t *testing.T) {
	turn := readTurn()
	turn.Reasoning.Handoffs = []client.Handoff{{CallID: "s", To: "scout", Text: "look",
		Profile: client.Profile{Called: "helper", Model: "small-1"}}, {CallID: "s", From: "scout", Text: "seen"}}
	why := textOf(Style{}.whole(turn, 0))
	assert.Contains(t, why, "  → helper (small-1)\n\n  helper: I look.\n")
	assert.Contains(t, why, "✓ helper/grep")
	assert.NotContains(t, Style{}.Block(turn), "helper", "the specification's form has ids")
}

func TestTheNamesOfAgentsAreBoundedAndSafe(t *testing.T) {
	b := &board{}
	for i := range 3 * maxAgents {
		played(b, task("", fmt.Sprintf("a_%d", i), fmt.Sprintf("n%d", i)))
	}
	assert.Len(t, b.names.names, maxAgents)
	hostile := task("", "x_1", "\x1b[31m"+strings.Repeat("wide ", 99))
	hostile.Model, hostile.Effort = "\x1b]0;t\a", strings.Repeat("e", 999)
	got := played(&board{}, hostile)
	assert.NotContains(t, got, "\x1b")
	assert.Less(t, len(got), 300)
	s := Style{Width: 50}
	for line := range strings.SplitSeq(s.liveHandoff(&agentNames{}, hostile), "\n") {
		assert.LessOrEqual(t, cellWidth(line), 50, line)
	}
}
