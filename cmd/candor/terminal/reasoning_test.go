package terminal

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

// turnWith returns a turn with one decision and its call.
func turnWith(d client.Decision, c client.Call) client.Turn {
	d.CallID, c.ID = "c", "c"
	return client.Turn{Number: 2, State: "completed", Calls: []client.Call{c},
		Reasoning: &client.Reasoning{Decisions: []client.Decision{d}}}
}

func TestOutcomesSayHowACallEndedAndHowMuchItReturned(t *testing.T) {
	ok := client.Decision{Outcome: "success"}
	for _, tt := range []struct {
		name string
		d    client.Decision
		c    client.Call
		want string
	}{
		{"nothing is known of the result", ok, client.Call{}, "success"},
		{"what was found", ok, client.Call{Shape: &client.ResultShape{Items: new(3), Of: "documents"}},
			"3 documents found"},
		{"one of them", ok, client.Call{Shape: &client.ResultShape{Items: new(1), Of: "documents"}},
			"1 document found"},
		{"one match", ok, client.Call{Shape: &client.ResultShape{Items: new(1), Of: "matches"}}, "1 match found"},
		{"one entry", ok, client.Call{Shape: &client.ResultShape{Items: new(1), Of: "entries"}}, "1 entry found"},
		{"a list", ok, client.Call{Shape: &client.ResultShape{Items: new(0), Bytes: 2}}, "success (0 items)"},
		{"a command", ok, client.Call{Shape: &client.ResultShape{ExitCode: new(0), Chars: new(142), Bytes: 150}},
			"success (142 chars)"},
		{"a command that failed", ok,
			client.Call{Shape: &client.ResultShape{ExitCode: new(2), Chars: new(1), Bytes: 1}},
			"success (exit 2, 1 char)"},
		{"a text", ok, client.Call{Shape: &client.ResultShape{Chars: new(4000), Bytes: 4321}}, "success (4,321 bytes)"},
		{"a part", client.Decision{Outcome: "success", Sighted: client.Sighted{Partial: true}},
			client.Call{Shape: &client.ResultShape{Bytes: 4321}}, "success (4,321 bytes), a part of the result"},
		{"an error", client.Decision{Outcome: "error"}, client.Call{Error: "no such\nfile"}, "error: no such file"},
		{"a policy", client.Decision{Outcome: "rejected"}, client.Call{Error: "not allowed here"},
			"rejected: not allowed here"},
		{"a person", client.Decision{Outcome: "rejected", Approval: "deny"}, client.Call{Error: "x"},
			"rejected: denied by a person"},
		{"nobody", client.Decision{Outcome: "rejected", Approval: "expired"}, client.Call{},
			"rejected: nobody approved it in time"},
		{"approved", client.Decision{Outcome: "success", Approval: "always"}, client.Call{}, "success, approved"},
		{"still running", client.Decision{Outcome: "pending"}, client.Call{}, "pending"},
		{"a server that says nothing", client.Decision{}, client.Call{}, "unknown"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, outcome(tt.d, tt.c)) })
	}
}

func TestAResultLineSumsUpAResult(t *testing.T) {
	for _, tt := range []struct {
		name, preview string
		shape         *client.ResultShape
		want          string
	}{
		{"a text", `"Found 3 documents"`, nil, "Found 3 documents"},
		{"a text of lines", `"one\n\ntwo"`, nil, "one …"},
		{"an object", `{"rows":4}`, nil, `{ "rows": 4 }`},
		{"an object that is cut", `{"rows":[1,2,…`, nil, `{ "rows": [1, 2, …`},
		{"a command", `{}`, &client.ResultShape{ExitCode: new(1), Chars: new(0)}, "Exit 1 — stdout: 0 chars"},
		{"a search", `{}`, &client.ResultShape{Items: new(2), Of: "notes", Query: "a\nb"},
			`Found 2 notes matching "a b"`},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, resultLine(tt.preview, tt.shape)) })
	}
}

func TestFallbacksAreDistinguishedFromTheModelsReasons(t *testing.T) {
	color := Style{Color: true}
	fallback := turnWith(client.Decision{ToolName: "clock", Rationale: "Tool selected.", Source: "fallback",
		Outcome: "success"}, client.Call{})
	assert.Contains(t, color.Block(fallback),
		"\x1b[36mclock\x1b[0m  \x1b[2;3m\"Tool selected.\"  (no reason given)\x1b[0m\n", "dim, italic and said")
	assert.Contains(t, Style{}.Block(fallback), "  ┄ clock  \"Tool selected.\"  (no reason given)\n")
	assert.Contains(t, Style{}.Detail(fallback, ""), "    rationale: \"Tool selected.\"  (no reason given)\n")
	own := turnWith(client.Decision{ToolName: "clock", Rationale: "to know", Source: "model", Outcome: "success"},
		client.Call{})
	assert.Contains(t, color.Block(own), "\x1b[36mclock\x1b[0m  \x1b[2m\"to know\"\x1b[0m\n")
	withheld := turnWith(client.Decision{ToolName: "clock", Rationale: "Tool selected.", Source: "fallback",
		Blocked: true}, client.Call{})
	assert.Contains(t, Style{}.Block(withheld), "(its reason was withheld)")
	withheld.Reasoning.NarrativeBlocked = true
	assert.Contains(t, Style{}.Block(withheld), "  Narrative: (withheld: it could not be made safe)\n")
	withheld.Reasoning.Narrative, withheld.Reasoning.NarrativeSource = "I look.", "summary"
	assert.Contains(t, Style{}.Block(withheld), "  Narrative: \"I look.\" (its provider's summary)\n")
}

func TestOnlyTurnsWithToolCallsHaveAReasoningBlock(t *testing.T) {
	assert.Empty(t, Style{}.Block(client.Turn{Number: 1, Response: "hi"}))
	turn := turnWith(client.Decision{ToolName: "clock", Rationale: "to know", Source: "model", Outcome: "success",
		Parameters: json.RawMessage(`{"z":1}`)}, client.Call{})
	assert.Equal(t, "  ┄ Reasoning (turn 2)\n  ┄ clock  \"to know\"\n    params: { \"z\": 1 }\n    → success\n",
		Style{}.Block(turn),
		"without a narrative only its line is missing")
}

// The stream repeats after each step that a narrative was withheld; a person reads it once.
func TestAWithheldNarrativeIsReportedOncePerTurn(t *testing.T) {
	const line = "  ○ (its narrative was withheld: it could not be made safe)\n"
	var note withheldNote
	for i, tt := range []struct {
		event client.Event
		want  string
	}{
		{client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1}, ""},
		{client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1, NarrativeBlocked: true}, line},
		{client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 1, NarrativeBlocked: true}, ""},
		{client.Event{Type: "job_reasoning", JobID: "j", NarrativeBlocked: true}, ""},
		{client.Event{Type: "reasoning_update", ThreadID: "t", TurnNumber: 2, NarrativeBlocked: true}, line},
		{client.Event{Type: "reasoning_update", ThreadID: "u", TurnNumber: 2, NarrativeBlocked: true}, line},
	} {
		assert.Equal(t, tt.want, note.lines(Style{}, tt.event), "event %d", i)
	}
}

func TestTurnsWithoutReasoningSayWhy(t *testing.T) {
	assert.Equal(t, "  ✗ No reasoning data for turn 7 in this thread.\n", Style{}.NoTurn("7"))
	assert.Equal(t, "  ─ Turn 3 had no tool calls.\n", Style{}.Detail(client.Turn{Number: 3}, ""))
	assert.Equal(t, "  ─ No reasoning recorded for turn 4.\n", Style{}.Detail(client.Turn{Number: 4,
		Calls: []client.Call{{ID: "c"}}}, ""))
}

func TestRedactionsAreCounted(t *testing.T) {
	turn := turnWith(client.Decision{ToolName: "push", Outcome: "success"}, client.Call{})
	turn.Redactions = []client.Redaction{{Rule: "github-pat", Count: 5}, {Rule: "dsn-password", Count: 1}}
	const want = "  ┄ 6 redactions: github-pat ×5, dsn-password ×1\n"
	assert.Contains(t, Style{}.Block(turn), want)
	assert.Contains(t, Style{}.Detail(turn, ""), "\n"+want)
}

func TestTheReasoningBehindAnAnswerAndTheNoticesAreShownOnDemand(t *testing.T) {
	turn := turnWith(client.Decision{ToolName: "push", Outcome: "success"}, client.Call{})
	turn.Answer = &client.Narration{Step: 2, Narrative: "I weighed\nboth.", Source: "summary"}
	turn.Redactions = []client.Redaction{{Rule: "github-pat", Count: 1}}
	turn.Notices = []client.Notice{{Rule: "instruction-override", Count: 2, Severity: "medium"},
		{Rule: "e-mail", Count: 1, Severity: "low"}}
	const end = "\n  Before the answer: \"I weighed both.\" (its provider's summary)\n" +
		"\n  ┄ 1 redaction: github-pat ×1\n" +
		"  ┄ 3 notices, left readable: instruction-override ×2 (medium), e-mail ×1 (low)\n"
	assert.True(t, strings.HasSuffix(Style{}.Detail(turn, ""), end), Style{}.Detail(turn, ""))
	assert.NotContains(t, Style{}.Block(turn), "weighed", "only on demand")

	turn = client.Turn{Number: 3, Answer: &client.Narration{Blocked: true}}
	assert.Equal(t, "  ─ Turn 3 had no tool calls.\n\n"+
		"  Before the answer: (withheld: it could not be made safe)\n", Style{}.Detail(turn, ""))
}

func TestAnApprovalShowsTheReasonAndTheParameters(t *testing.T) {
	a := client.Approval{ToolName: "shell", Rationale: "to see what fills the disk", Source: "model",
		Description: "Runs a command.",
		Parameters:  json.RawMessage(`{"command":"du -sh *"}`)}
	assert.Equal(t, `
  ? shell  "to see what fills the disk"
    Runs a command.
    params: { "command": "du -sh *" }
    May it run?  y yes   n no   n WORDS no, and why   v view

`, Style{}.Question(a, 0))
	a.AllowAlways, a.Source = true, "fallback"
	assert.Contains(t, Style{}.Question(a, 2), "  ? 2 shell  \"to see what fills the disk\"  (no reason given)\n")
	assert.Contains(t, Style{}.Question(a, 2),
		"May it run?  y 2 yes   a 2 always   n 2 no   n 2 WORDS no, and why   v 2 view\n")
}

func TestAnApprovalPointsOutParametersThatAreNotShown(t *testing.T) {
	long := client.Approval{ToolName: "shell", Rationale: "why", Source: "model",
		Parameters: json.RawMessage(`{"command":"echo ` + strings.Repeat("x", 300_000) + `; rm -rf /"}`)}
	assert.Contains(t, Style{}.Question(long, 0), "; rm -rf /")
	long.Parameters = json.RawMessage(`{"command":"echo ` + strings.Repeat("x", 500_000) + `; rm -rf /"}`)
	assert.Contains(t, Style{}.Question(long, 0),
		"    ! There is more that is not shown. Deny it unless you know what it is.\n")
}

func TestThreadsAreListedInColumns(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	list := []client.Thread{
		{ID: "aaaaaaaa-1", Title: "为什么登录很慢？", TurnCount: 12, UpdatedAt: now.Add(-30 * time.Second)},
		{ID: "bbbbbbbb-2", TurnCount: 0, UpdatedAt: now.Add(-5 * time.Minute), State: "processing"},
		{ID: "cccccccc-3", Title: "a title that is too long for the column it has to stand in", TurnCount: 1,
			UpdatedAt: now.Add(-100 * time.Hour)},
	}
	assert.Equal(t, ""+
		"  ●   1  aaaaaaaa  为什么登录很慢？                 12 turns, now\n"+
		"      2  bbbbbbbb  (nothing said yet)                0 turns, 5 min ago, running\n"+
		"      3  cccccccc  a title that is too long for …     1 turn, 4 days ago\n",
		Style{Width: 80}.Threads(list, "aaaaaaaa-1", now))
	list[1].UpdatedAt = now.Add(-59 * time.Minute)
	for width := 50; width <= 200; width++ {
		assertFits(t, width, Style{Width: width}.Threads(list, "aaaaaaaa-1", now))
	}
	assert.Equal(t, "  ●   1  aaaaaaaa  为什么登录很慢？\n         12 turns, now\n", Style{Width: 40}.Threads(list[:1],
		"aaaaaaaa-1", now))
	assert.Equal(t, "  ─ There is no conversation yet. Say something to begin one.\n", Style{}.Threads(nil, "", now))
}

func TestSearchHitsAreExcerptsWithTheWordsInBold(t *testing.T) {
	turn := turnWith(client.Decision{ToolName: "notes", Rationale: "Somebody may have met this before",
		Parameters: json.RawMessage(`{"q":"login slow"}`)}, client.Call{})
	turn.UserInput, turn.Response = "Why is LOGIN slow?", "It scans. Login is slow because of that."
	assert.Equal(t, ""+
		"  turn 2  said              Why is LOGIN slow?\n"+
		"  turn 2  notes             \"Somebody may have met this before\" { \"q\": \"login slow\" }\n"+
		"  turn 2  answer            It scans. Login is slow because of that.\n", Style{}.Hits(turn, []string{"login",
		"SLOW"}))
	assert.Contains(t, Style{Color: true}.Hits(turn, []string{"login"}), "Why is \x1b[1mLOGIN\x1b[0m slow?")
	assert.Empty(t, Style{}.Hits(turn, []string{"login", "unheard-of"}))
	assert.Equal(t, "…that is slow", excerpt("a very long text, because of that is slow", "slow", 16))
}

func TestAThreadIsPickedByNumberOrIDPrefix(t *testing.T) {
	list := []client.Thread{{ID: "1234aaaa"}, {ID: "1234bbbb"}, {ID: "9999cccc"}}
	for word, want := range map[string]string{
		"1": "1234aaaa", "3": "9999cccc", "1234b": "1234bbbb", "9999": "9999cccc",
	} {
		got, err := Pick(list, word)
		assert.NoError(t, err)
		assert.Equal(t, want, got)
	}
	for word, want := range map[string]string{"4": "no such", "0": "no such", "1234": "Several", "zzzz": "no such",
		"": "no such", "-1": "no such"} {
		_, err := Pick(list, word)
		assert.ErrorContains(t, err, want, word)
	}
}

func TestMistypedCommandsSuggestTheNearestOne(t *testing.T) {
	for word, want := range map[string]string{"/raesoning": "/reasoning", "/reason": "/reasoning", "/exit": "/quit",
		"/threds": "/threads", "/frobnicate": "", "/QUIT": "/quit", "/q": ""} {
		assert.Equal(t, want, nearest(word), word)
	}
	assert.Equal(t, []string{"/reasoning", "/reasoning all", "/reasoning last", "/reasoning search "},
		append(Complete("/reas"), Complete("/reasoning ")...))
	assert.Empty(t, Complete("hello"))
}
