package terminal

import (
	"encoding/json"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

// readTurn is a turn of three steps: a failure, a batch of one tool in which a call failed, and
// a sub-agent's call.
func readTurn() client.Turn {
	began := time.Unix(100, 0)
	ended := began.Add(58 * time.Second)
	t := client.Turn{Number: 4,
		UserInput: "Why does it fail?",
		Response:  "Lines were **rounded** before the sum.",
		State:     "completed", StartedAt: &began, CompletedAt: &ended,
		Reasoning: &client.Reasoning{Narrative: "I read it whole.",
			Narratives: []client.StepNarrative{{Step: 1, Narrative: "I want to see it."},
				{Step: 2, Narrative: "I read it whole."}, {Agent: "scout", Step: 1, Narrative: "I look."}}}}
	add := func(id, tool, object, why, outcome string, step int, group *int) *client.Decision {
		t.Calls = append(t.Calls, client.Call{ID: id, Name: tool, Object: object, DurationMS: new(int64(54)),
			Line: map[string]string{"success": "12 lines", "error": "FAIL, exit 1"}[outcome]})
		t.Reasoning.Decisions = append(t.Reasoning.Decisions, client.Decision{CallID: id, ToolName: tool,
			Rationale: why, Source: "model", Outcome: outcome, Step: step, Group: group,
			Parameters: json.RawMessage(`{"path":"` + object + `"}`)})
		return &t.Reasoning.Decisions[len(t.Reasoning.Decisions)-1]
	}
	add("a", "run_tests", "./invoice", "I want its own words.", "error", 1, nil)
	for i, file := range []string{"totals.go", "line.go", "a/long/path/tax.go", "gone.go"} {
		outcome := map[bool]string{true: "error", false: "success"}[file == "gone.go"]
		add(file, "read_file", file, []string{"The sum.", "A line.", "The tax.", "The rest."}[i], outcome, 2, new(0))
	}
	add("s", "delegate", "look", "Two eyes see more.", "success", 2, nil)
	add("t", "grep", "cent", "Who rounds?", "success", 1, nil).Agent = "scout"
	return t
}

func TestATurnIsReadAfterwardsAsAWhole(t *testing.T) {
	assert.Equal(t, `› Why does it fail?

  I want to see it.

  ✗ run_tests     I want its own words.
                  ./invoice → FAIL, exit 1                                   54 ms

  I read it whole.

  ✗ read_file     The rest.
                  gone.go → FAIL, exit 1                                     54 ms
  ✓ read_file ×3  36 lines                                                   54 ms
    totals.go     The sum.
    line.go       A line.
    a/long/path/tax.go
                  The tax.
  ✓ delegate      Two eyes see more.
                  look → 12 lines                                            54 ms

  scout: I look.

  ✓ scout/grep    Who rounds?
                  cent → 12 lines                                            54 ms

  Lines were **rounded** before the sum.

  7 calls · 2 failed · 58.0 s
`, textOf(Style{Width: 82}.whole(readTurn(), 0)))
	assert.Equal(t, `
  I read it whole.

  ✗ read_file  The rest.
    gone.go → FAIL, exit 1                 54 ms
  ✓ read_file ×3  36 lines                 54 ms
    totals.go
      The sum.
    line.go
      A line.
    a/long/path/tax.go
      The tax.
  ✓ delegate  Two eyes see more.
    look → 12 lines                        54 ms

  scout: I look.

  ✓ scout/grep  Who rounds?
    cent → 12 lines                        54 ms
`, textOf(Style{Width: 48}.whole(readTurn(), 2)))
	assert.Empty(t, Style{}.whole(readTurn(), 3))
	var failed int
	for _, p := range (Style{}).whole(readTurn(), 0) {
		if p.failed {
			failed++
		}
	}
	assert.Equal(t, 3, failed, "two calls and the sums, where only what failed is shown")
}

func TestATurnWithoutAnAnswerSaysWhy(t *testing.T) {
	for state, want := range map[string]string{"failed": "  ✗ no model", "interrupted": "  ─ Interrupted.",
		"processing": "  ⋯ It has not ended."} {
		turn := client.Turn{Number: 1, UserInput: "x", State: state}
		if state == "failed" {
			turn.Error = "no model"
		}
		assert.Equal(t, "› x\n\n"+want+"\n", textOf(Style{}.whole(turn, 0)))
	}
	withheld := readTurn()
	withheld.Reasoning.Narratives, withheld.Reasoning.Narrative = nil, ""
	withheld.Reasoning.NarrativeBlocked = true
	assert.Contains(t, textOf(Style{}.whole(withheld, 0)), "(its narrative was withheld: it could not be made safe)")
	withheld.Reasoning.Narrative, withheld.Reasoning.NarrativeSource = "I see.", "summary"
	assert.Contains(t, textOf(Style{}.whole(withheld, 0)), "\n  I see. (its provider's summary)\n")
}

func TestTheTurnsOfAConversationAreListed(t *testing.T) {
	ended, now := readTurn(), time.Unix(200, 0)
	began := now.Add(-12 * time.Second)
	failed := client.Turn{Number: 5, UserInput: "Push it.", State: "failed", Error: "503 overloaded"}
	edit := client.Decision{CallID: "e", ToolName: "apply_patch", Outcome: "success", Source: "model"}
	ended.Reasoning.Decisions = append(ended.Reasoning.Decisions, edit)
	asks := client.Turn{Number: 10, UserInput: "Clean up what is dead in config, all of it.", State: "processing",
		StartedAt: &began, Calls: []client.Call{{ID: "p", Object: "config/ledger.yaml"}},
		Reasoning: &client.Reasoning{Decisions: []client.Decision{{CallID: "p", ToolName: "apply_patch",
			Outcome: "pending"}}}}
	list := []client.Turn{asks, {Number: 9, UserInput: "Hm.", State: "queued"}, {Number: 6, State: "interrupted"},
		failed, ended}
	assert.Equal(t, `   4 ✓ Why does it fail?                              58.0 s
       run_tests ./invoice → FAIL, exit 1 · read_file gone.…
   5 ✗ Push it.
       503 overloaded
   6 ─ (nothing was said)
   9 ┄ Hm.
  10 ? Clean up what is dead in config, all of …        12 s
       apply_patch config/ledger.yaml → may it run?
`, textOf(Style{Width: 60}.turns(list, []string{"p", "a"}, now)))
	wide := textOf(Style{Width: 200}.turns(list, nil, now))
	assert.Contains(t, wide, "FAIL, exit 1 · apply_patch · read_", "what changed comes before what read")
	assert.Contains(t, wide, "  10 ○ Clean")
	assert.Contains(t, textOf(Style{}.turns(nil, nil, now)), "Nothing has been said")
	assert.Contains(t, textOf(Style{}.turns(make([]client.Turn, maxListed), nil, now)), "(nothing was said)")
}

func TestTwoTurnsAreCompared(t *testing.T) {
	a, b := readTurn(), readTurn()
	b.Number, b.UserInput, b.Response = 7, "Why does it still fail?", "Lines were **cut** before the sum."
	d := b.Reasoning.Decisions
	d[0].Rationale, b.Calls[0].Line = "I want its very own words.", "ok"
	d[0].Outcome, d[5].Parameters = "success", json.RawMessage(`{"path":"look","depth":2}`)
	d[6].ToolName = "find"
	assert.Equal(t, `  turn 4 and turn 7
  4 calls the same, 2 calls changed, 1 call only in turn 4, 1 call only in turn 7

  asked
    - Why does it fail?
    + Why does it [still] fail?

  ~ run_tests
    - I want its own words.
    + I want its [very] own words.
    - FAIL, exit 1
    + ok

  = read_file totals.go · read_file line.go · read_file a/long/path/tax.go · read_file gone.go

  ~ delegate
    + { "depth": 2 }

    - scout/grep cent
      Who rounds?
      → 12 lines

    + scout/find cent
      Who rounds?
      → 12 lines

  answered
    - Lines were [**rounded**] before the sum.
    + Lines were [**cut**] before the sum.
`, textOf(Style{}.diff(a, b)))
	same := textOf(Style{}.diff(a, a))
	assert.Contains(t, same, "Both made the same calls, for the same reasons.")
	assert.Contains(t, same, "    = Why does it fail?\n")
	assert.Contains(t, textOf(Style{Color: true}.diff(a, b)), "\x1b[31;1;4m**rounded**\x1b[0m")
	assert.Contains(t, textOf(Style{}.diff(client.Turn{Number: 1}, client.Turn{Number: 2})), "Neither called a tool.")
	b.Response = "Something else entirely stands here."
	assert.Contains(t, textOf(Style{}.diff(a, b)), "+ Something else entirely", "marks on every word tell nothing")
}

// Long turns cost what is shown of them.
func TestOnlyTheFirstCallsOfLongTurnsAreCompared(t *testing.T) {
	long := readTurn()
	for range 2000 {
		long.Reasoning.Decisions = append(long.Reasoning.Decisions, long.Reasoning.Decisions[0])
		long.Calls = append(long.Calls, long.Calls[0])
	}
	assert.Contains(t, textOf(Style{}.diff(long, long)), "Only the first 500 calls of each are compared.")
}

// Whatever stands in a turn: no line of any view is wider than the screen.
func TestNoLineOfWhatIsReadAfterwardsIsWiderThanTheScreen(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 9))
	for range 300 {
		width := []int{50, 60, 80, 100, 140, 200}[random.IntN(6)]
		turns := make([]client.Turn, 2)
		for i := range turns {
			turns[i] = hostileTurn(random)
		}
		s := Style{Color: random.IntN(2) == 0, Width: width}
		assertFits(t, width, textOf(s.whole(turns[0], 0)))
		assertFits(t, width, textOf(s.turns(turns, []string{"1"}, time.Unix(500, 0))))
		assertFits(t, width, textOf(s.diff(turns[0], turns[1])))
		p := &pager{draw: func(width int) []pagePart { s.Width = width; return s.whole(turns[0], 0) }}
		p.resize(width, 12)
		p.key("/")
		p.key("a")
		p.key("\r")
		for _, row := range p.view() {
			assertFits(t, width, row)
		}
	}
}

// hostileTurn is a turn in whose every text there is something hostile.
func hostileTurn(random *rand.Rand) client.Turn {
	began := time.Unix(100, 0)
	t := client.Turn{Number: random.IntN(2000), UserInput: hostileText(random), Response: hostileText(random),
		State: []string{"completed", "failed", "interrupted", "processing"}[random.IntN(4)], Error: hostileText(random),
		StartedAt: &began, Conclusion: hostileText(random),
		Reasoning:  &client.Reasoning{Narrative: hostileText(random)},
		Redactions: []client.Redaction{{Rule: hostileText(random), Count: 2}}}
	for n := range random.IntN(9) {
		e := hostileCall(random, "tool_completed", string(rune('0'+n)))
		d := e.Decision
		d.CallID, d.ToolName, d.Parameters, d.Step = e.CallID, e.Name, e.Input, 1+n/4
		t.Reasoning.Decisions = append(t.Reasoning.Decisions, d)
		t.Calls = append(t.Calls, client.Call{ID: e.CallID, Object: hostileText(random), Line: hostileText(random),
			Error: hostileText(random), DurationMS: new(int64(54))})
	}
	return t
}
