package terminal

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/client"
)

// saying returns the events of a step whose text comes in parts.
func saying(agent string, step int, parts ...string) (events []client.Event) {
	for i, part := range parts {
		events = append(events, client.Event{Type: "step_text", ThreadID: "t", TurnNumber: 1, Index: i,
			Text: part, Decision: client.Decision{Agent: agent, Step: step}})
	}
	return events
}

// ended returns the event that settles a step's text.
func ended(kind, agent string, step int, text string) client.Event {
	e := client.Event{Type: kind, ThreadID: "t", TurnNumber: 1, Message: text, Content: text, Text: text}
	if e.Step, e.Agent = step, agent; kind == "response" {
		e.Step = 0
	}
	return e
}

// heard returns what a speech prints of events.
func heard(whole bool, width int, events ...client.Event) string {
	p, out := speech{whole: whole}, ""
	for _, e := range events {
		out += p.lines(Live{Style{Width: width}}, e)
	}
	return out + p.end()
}

const aText = "The login is slow. The sessions table has 4 million rows and no index on user_id, so each login " +
	"scans all of it. 会话表有 400 万行。 Do this:\n\n- create the index\n  - on user_id\n\n```\n" +
	"CREATE INDEX ON sessions (user_id);\n```\nIt takes a minute."

// A text that comes in parts looks as if it had come whole, at any width, where a line can
// be continued.
func TestATextInPartsLooksAsIfItHadComeWhole(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, width := range []int{0, 20, 50, 80, 120, 200} {
		want := Live{Style{Width: width}}.Lines(ended("response", "", 0, aText))
		for range 200 {
			var parts []string
			words := strings.SplitAfter(strings.ReplaceAll(aText, "\n", "\n\x00"), " ")
			for word := range strings.SplitSeq(strings.Join(words, "\x00"), "\x00") {
				if len(parts) > 0 && r.IntN(3) > 0 {
					parts[len(parts)-1] += word
				} else {
					parts = append(parts, word)
				}
			}
			require.Equal(t, aText, strings.Join(parts, ""))
			events := append(saying("", 1, parts...), ended("response", "", 0, aText))
			require.Equal(t, want, heard(false, width, events...), "%d columns, %q", width, parts)
			lost := append(events[:len(parts)/2:len(parts)/2], events[len(parts):]...)
			require.Equal(t, want, heard(false, width, lost...), "the final text has what was lost")
		}
	}
}

// Above a prompt each part ends its line, and every line keeps to the width.
func TestPartsAboveAPromptEndTheirLines(t *testing.T) {
	for _, width := range []int{0, 50, 80, 120, 200} {
		p := speech{whole: true}
		out := ""
		parts := strings.SplitAfter(aText, ". ")
		for _, e := range append(saying("", 1, parts...), ended("response", "", 0, aText)) {
			text := p.lines(Live{Style{Width: width}}, e)
			assert.True(t, text == "" || strings.HasSuffix(text, "\n"), "%q", text)
			out += text
		}
		assert.Equal(t, strings.Fields(aText), strings.Fields(out), "nothing is lost and nothing comes twice")
		assert.NotContains(t, out, "\n\n\n")
		for line := range strings.Lines(out) {
			assert.True(t, width == 0 || cellWidth(strings.TrimSuffix(line, "\n")) <= width, line)
		}
	}
}

func TestEachPartIsPrintedWhenItComes(t *testing.T) {
	p := speech{}
	var got []string
	events := saying("", 1, "One. ", "Two.", "\n\nThree.")
	for _, e := range append(events, ended("thinking", "", 1, "One. Two.\n\nThree.")) {
		got = append(got, p.lines(Live{}, e))
	}
	assert.Equal(t, []string{"\nOne.", " Two.", "\n\nThree.", "\n"}, got)
}

func TestWhatSettlesATextIsPrintedOnce(t *testing.T) {
	const back = "  ┄ What it said above was taken back.\n"
	part := func(index int, text string) client.Event {
		e := saying("", 1, text)[0]
		e.Index = index
		return e
	}
	tool := client.Event{Type: "tool_started", ThreadID: "t", TurnNumber: 1, Name: "grep"}
	summary := ended("thinking", "", 1, "I weighed it.")
	summary.Answer = client.BehindAnswer
	for _, tt := range []struct {
		name   string
		events []client.Event
		want   string
	}{
		{"nothing was streamed", []client.Event{ended("thinking", "", 1, "I look.")}, "  ○ I look.\n"},
		{"a narrative", append(saying("", 1, "I look."), ended("thinking", "", 1, "I look."), tool),
			"\nI look.\n\n  ○ grep\n"},
		{"the next step speaks, too", append(append(saying("", 1, "One."), ended("thinking", "", 1, "One.")),
			saying("", 2, "Two.")...), "\nOne.\n\nTwo.\n"},
		{"the turn is stopped", append(saying("", 1, "I look."), ended("thinking", "", 1, "I look."),
			client.Event{Type: "status", State: "interrupted"}), "\nI look.\n\n  ─ Interrupted.\n"},
		{"the final text is another", append(saying("", 1, "I look."), ended("thinking", "", 1, "I search.")),
			"\nI look.\n" + back + "  ○ I search.\n"},
		{"withdrawn", []client.Event{part(0, "I look."), part(0, ""), part(0, ""), ended("response", "", 0, "Done.")},
			"\nI look.\n" + back + "\nDone.\n"},
		{"begun anew", []client.Event{part(0, "I look."), part(0, "I search."), part(1, " Now.")},
			"\nI look.\n" + back + "\nI search. Now.\n"},
		{"repeated after a lost connection",
			[]client.Event{part(0, "One."), part(1, " Two."), part(0, "One. Two. Three.")}, "\nOne. Two. Three.\n"},
		{"repeated part by part", []client.Event{part(0, "One."), part(1, " Two."), part(0, "One."), part(1, " Two."),
			part(2, " Three.")}, "\nOne. Two. Three.\n"},
		{"a part was lost", []client.Event{part(0, "One."), part(2, " Three."), part(3, " Four."),
			ended("response", "", 0, "One. Two. Three. Four.")}, "\nOne. Two. Three. Four.\n"},
		{"a summary replaces nothing",
			[]client.Event{part(0, "It is"), summary, ended("response", "", 0, "It is noon.")}, "\nIt is noon.\n"},
		{"something else in between", []client.Event{part(0, "One."), tool, part(1, " Two.")},
			"\nOne.\n  ○ grep\nTwo.\n"},
		{"an empty line that was printed already", []client.Event{part(0, "One."), tool, part(1, "\n\nTwo.")},
			"\nOne.\n  ○ grep\n\nTwo.\n"},
		{"the turn fails", []client.Event{part(0, "One."),
			{Type: "error", ThreadID: "t", TurnNumber: 1, Message: "no"}}, "\nOne.\n\n  ✗ no\n"},
		{"control characters", []client.Event{part(0, "a\x1b[2Jb"), ended("response", "", 0, "a\x1b[2Jb c\x07")},
			"\nab c\n"},
	} {
		assert.Equal(t, tt.want, heard(false, 80, tt.events...), tt.name)
	}
}

func TestSubAgentsSpeakUnderTheirNames(t *testing.T) {
	back := client.Event{Type: "handoff", ThreadID: "t", TurnNumber: 1, From: "scout", Text: "It is noon."}
	events := append(saying("scout", 1, "I look. ", "I find."), ended("thinking", "scout", 1, "I look. I find. So."))
	assert.Equal(t, "  ○ scout: I look.\n  ○ scout: I find.\n  ○ scout: So.\n", heard(false, 80, events...))
	events = append(saying("scout", 1, "It is noon."), back)
	assert.Equal(t, "  ○ scout: It is noon.\n  ┄ ← scout: (what it said last)\n", heard(false, 80, events...))
	events[len(events)-1].Text = "It is noon. And more."
	assert.Equal(t, "  ○ scout: It is noon.\n  ┄ ← scout: It is noon. And more.\n", heard(false, 80, events...))
}

func TestDraftsOfEndedTurnsAreForgotten(t *testing.T) {
	p := speech{}
	for turn := range 100 {
		for _, e := range append(saying("scout", 1, "One."), saying("", 1, "Two.")...) {
			e.TurnNumber = turn
			p.lines(Live{}, e)
		}
		e := ended([]string{"response", "error", "status"}[turn%3], "", 0, fmt.Sprint("Two. ", turn))
		e.TurnNumber, e.State = turn, "interrupted"
		p.lines(Live{}, e)
	}
	assert.Empty(t, p.drafts)
}
