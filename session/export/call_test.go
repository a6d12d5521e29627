package export

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/safety"
	"candor/session"
)

// cleaned returns JSON as the log has it.
func cleaned(raw string) safety.JSON {
	v, _ := layer.CleanJSON(json.RawMessage(raw))
	return v
}

// textOf returns a text as the log has it.
func textOf(raw string) safety.Text {
	text, _ := layer.Mask(raw)
	return text
}

// said is a call that succeeded, with the model's reason.
func said(tool, params, result string) session.Call {
	return session.Call{
		Tool: textOf(tool), Params: cleaned(params), Result: cleaned(result),
		Rationale: session.Rationale{Text: safety.Literal("To see."), Source: session.FromModel},
		Outcome:   session.Success, Took: 54 * time.Millisecond,
	}
}

// of returns a document whose only turn has a step of these calls.
func of(calls ...session.Call) Document {
	step := session.Step{Number: 1, Calls: calls}
	return Document{Turns: []session.Turn{{Number: 1, State: session.Completed, Steps: []session.Step{step}}}}
}

func TestACallHasTheRowThatThePageShows(t *testing.T) {
	c := said("grep", `{"pattern":"legacy","path":"cmd/"}`, `{"matches":[{"path":"a"},{"path":"b"},{"path":"b"}]}`)
	d := of(c)
	assert.Contains(t, markdownOf(t, d),
		"#### 1. `grep` `legacy cmd/`\n\n> To see.\n\n→ 3 matches in 2 files · 54 ms\n")
	page := htmlOf(t, d)
	for _, want := range []string{`<p class="said why">To see.</p>`, `<code><b>grep</b> legacy cmd/</code>`,
		`<p class="got">→ 3 matches in 2 files</p>`, "✓</span> 54 ms</p>", `<li class="row usual">`} {
		assert.Contains(t, page, want)
	}
	for _, usual := range []string{"success ·", "own words", "parallel"} {
		assert.NotContains(t, markdownOf(t, d)+page, usual, "what is usual goes without saying")
	}
	c.Outcome, c.Error, c.Result = session.Errored, safety.Literal("No such folder. Look at cmd."), safety.JSON{}
	assert.Contains(t, markdownOf(t, of(c)), "**error** → No such folder. · 54 ms\n")
	inBoth(t, of(c), "No such folder. Look at cmd.")
	assert.Contains(t, htmlOf(t, of(c)), `<li class="row failed">`)
}

func TestWhatALineSaysIsNotSaidAgain(t *testing.T) {
	d := of(said("count", `{"path":"a.go"}`, `{"content":[{"type":"text","text":"12 functions\n"}]}`))
	for name, got := range map[string]string{"Markdown": markdownOf(t, d), "HTML": htmlOf(t, d)} {
		assert.Equal(t, 1, strings.Count(got, "12 functions"), name)
		assert.NotContains(t, got, "Result", name)
	}
	c := said("count", `{}`, `null`)
	c.Outcome, c.Error = session.Errored, safety.Literal("no such file")
	assert.Equal(t, 1, strings.Count(markdownOf(t, of(c)), "no such file"))
	for _, tt := range []struct {
		answer session.Answer
		err    string
		once   string
	}{
		{session.Deny, "a person was asked and denied this call", "denied"},
		{session.Expired, "a person was asked and did not answer in time", "in time"},
		{"", "rejected by policy: not here", "policy"},
	} {
		c.Outcome, c.Error, c.Approval = session.Rejected, textOf(tt.err), nil
		if tt.answer != "" {
			c.Approval = &session.Approval{Answer: tt.answer}
		}
		assert.Equal(t, 1, strings.Count(markdownOf(t, of(c)), tt.once), tt.err)
		assert.NotContains(t, markdownOf(t, of(c)), " ms", "it did not run")
	}
	c.Outcome, c.Error, c.Approval = session.Cancelled, safety.Text{}, nil
	assert.Equal(t, 1, strings.Count(markdownOf(t, of(c)), "cancelled"))
}

func TestAResultIsReadWithoutItsEnvelope(t *testing.T) {
	log := strings.Repeat("ok\n", 9)
	raw, _ := json.Marshal(log)
	d := of(said("test", `{}`, `{"content":[{"type":"text","text":`+string(raw)+`}]}`))
	assert.Contains(t, markdownOf(t, d), "```text\n"+log+"```\n")
	assert.Contains(t, htmlOf(t, d), "<pre>"+strings.TrimSpace(log)+"</pre>")
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), `"type"`)
}

func TestAShortBlockIsOpenAndALongOneSaysItsLength(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("x\n", 9))
	for _, tt := range []struct{ name, params, markdown, page string }{
		{"one of a line", `{"path":"a.go","limit":2}`, "Parameters: `path: a.go`, `limit: 2`\n",
			"Parameters <code>path: a.go</code> <code>limit: 2</code></p>"},
		{"a short one", `{"text":"a\nb"}`, "<details open>\n<summary>Parameters</summary>",
			"<details open><summary>Parameters</summary>"},
		{"one of many lines", `{"text":` + string(long) + `}`, "<details>\n<summary>Parameters, 10 lines</summary>",
			"<details><summary>Parameters, 10 lines</summary>"},
		{"a long line", `{"text":"` + strings.Repeat("so ", 300) + `"}`, "<details>\n<summary>Parameters</summary>",
			"<details><summary>Parameters</summary>"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Contains(t, markdownOf(t, of(said("t", tt.params, `null`))), tt.markdown)
			assert.Contains(t, htmlOf(t, of(said("t", tt.params, `null`))), tt.page)
		})
	}
	assert.NotContains(t, markdownOf(t, of(said("clock", `{}`, `"12:00"`))), "Parameters", "there are none")
	assert.NotContains(t, markdownOf(t, of(said("read", `{"path":"a.go"}`, `1`))), "Parameters", "the object says it")
}

// Our sentence in place of a reason must not be taken for one.
func TestAReasonThatIsMissingIsSaidToBe(t *testing.T) {
	c := said("t", `{}`, `1`)
	c.Rationale = session.Fallback()
	for _, got := range []string{markdownOf(t, of(c)), htmlOf(t, of(c))} {
		assert.Contains(t, got, "No reason given")
		assert.NotContains(t, got, c.Rationale.Text.String())
	}
	c.Rationale = session.Rationale{}
	inBoth(t, of(c), "No reason yet")
}

func TestCallsSideBySideAreNamedOnce(t *testing.T) {
	calls := []session.Call{said("a", `{}`, `1`), said("b", `{}`, `1`), said("c", `{}`, `1`), said("d", `{}`, `1`)}
	for _, tt := range []struct {
		name string
		in   []int
		want string
	}{
		{"two", []int{0, 1}, "Side by side: 1 and 2"},
		{"three", []int{1, 2, 3}, "Side by side: 2 to 4"},
		{"with one between them", []int{0, 2, 3}, "Side by side: 1, 3 and 4"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range calls {
				calls[i].Group = nil
			}
			for _, i := range tt.in {
				calls[i].Group = new(0)
			}
			inBoth(t, of(calls...), tt.want)
			assert.Equal(t, 1, strings.Count(markdownOf(t, of(calls...)), "Side by side"))
		})
	}
	calls[0].Group, calls[2].Group, calls[3].Group = nil, nil, nil
	calls[1].Group = new(0)
	assert.NotContains(t, markdownOf(t, of(calls...)), "Side by side", "one alone")
}

func TestWithoutResultsNoLineTellsThem(t *testing.T) {
	d := of(said("clock", `{}`, `"12:00"`))
	d.Omit.Results = true
	assert.NotContains(t, markdownOf(t, d)+htmlOf(t, d), "12:00")
	failed := said("clock", `{}`, `"12:00"`)
	failed.Outcome, failed.Error = session.Errored, safety.Literal("no clock")
	d = of(failed)
	d.Omit.Results = true
	inBoth(t, d, "no clock")
	without := of(said("clock", `{"zone":"Berlin"}`, `"12:00"`))
	without.Omit.Parameters = true
	assert.NotContains(t, markdownOf(t, without)+htmlOf(t, without), "Berlin")
}

func TestADocumentOfSeveralTurnsHasContents(t *testing.T) {
	d := twice(of(said("a", `{}`, `1`)))
	assert.NotContains(t, markdownOf(t, of(said("a", `{}`, `1`))), "(#turn-1)", "one turn needs none")
	d.Turns[0].Input = safety.Literal("why [that](x) *file*?")
	d.Turns[1].State, d.Turns[1].Steps = session.Failed, nil
	d.Turns[0].CreatedAt = time.Date(2026, 2, 21, 10, 0, 0, 0, time.UTC)
	d.Turns[1].CreatedAt = d.Turns[0].CreatedAt.Add(time.Minute)
	md := markdownOf(t, d)
	assert.Contains(t, md, "- [Turn 1](#turn-1): why \\[that\\](x) \\*file\\*? (1 tool)\n")
	assert.Contains(t, md, "- [Turn 2](#turn-2) (failed)\n\n## Turn 1\n")
	page := htmlOf(t, d)
	assert.Contains(t, page,
		`<li><a href="#turn-1">Turn 1</a> <span>why [that](x) *file*?</span> <small>1 tool</small></li>`)
	assert.Contains(t, page, `<li class="failed"><a href="#turn-2">`)
	assert.Contains(t, page, "21 February 2026, 10:00:00 to 10:01:00 UTC.")
	d.Turns[1].CreatedAt = d.Turns[0].CreatedAt.Add(24 * time.Hour)
	assert.Contains(t, htmlOf(t, d), "21 February 2026, 10:00:00 UTC to 22 February 2026, 10:00:00 UTC.")
	d.Turns[0].Steps[0].Calls[0].Outcome = session.Rejected
	inBoth(t, d, "1 tool, 1 failed")
}

func TestATimeThatNobodyMeasuredIsMarked(t *testing.T) {
	c := said("shell", `{}`, `1`)
	c.Took, c.Untimed, c.Apart = 0, true, 680*time.Millisecond
	inBoth(t, of(c), "~680 ms")
}
