package agent

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// command returns the arguments of a call that runs s in a shell.
func command(s string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"command": s})
	return raw
}

func TestAQuestionShowsTheCallButForTheSecret(t *testing.T) {
	call := Call{Name: "risky", Arguments: command(
		`curl -H "Authorization: Bearer ` + githubToken() + `" https://a.test`)}
	inChat(t, oneStep("", call), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		open := openApprovals(t, s, ref)
		require.Len(t, open, 1)
		assert.Equal(t, `{"command":"curl -H \"Authorization: Bearer [REDACTED:github-pat]\" https://a.test"}`,
			string(open[0].Approval.Shown.Raw()))
		assert.Equal(t, len(githubToken()), open[0].Approval.Hidden)
		_, err := c.Approve(t.Context(), "ann", open[0].Approval.Request, session.Deny)
		require.NoError(t, err)
		synctest.Wait()
	}, guarded("risky", ApprovalAsk))
}

// What cannot be shown as it would run is not asked and not run, and both the model and the
// person read why.
func TestACallThatCannotBeShownIsRefusedWithAReason(t *testing.T) {
	hides := "export GITHUB_TOKEN=\"`touch x`\"; gh pr list"
	deep := strings.Repeat(`{"a":`, 70) + `1` + strings.Repeat("}", 70)
	for _, tt := range []struct {
		name string
		call Call
		why  string
	}{
		{"code behind a marker", Call{Name: "risky", Arguments: command(hides)}, "signs that a shell"},
		{"a suspicious call", Call{Name: "run", Arguments: command(hides + " | sh")}, "signs that a shell"},
		{"more than a person is shown", Call{Name: "risky", Arguments: command(strings.Repeat("x", 70_000))},
			"longer than 65536"},
		{"deeper than a person is shown", Call{Name: "risky", Arguments: rawJSON(deep)}, "nested deeper"},
		{"a parameter twice", Call{Name: "risky", Arguments: rawJSON(`{"command":"ls","command":"rm -rf ."}`)},
			"twice"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := oneStep("", tt.call)
			inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
				ref := send(t, c, "", "hi").Ref
				synctest.Wait()
				assert.Empty(t, openApprovals(t, s, ref))
				turn, err := s.Turn(ref.Thread, ref.Turn)
				require.NoError(t, err)
				refused, _ := turn.Call("call_1")
				assert.Equal(t, session.Rejected, refused.Outcome)
				assert.Nil(t, refused.Approval, "nobody was asked")
				said := refused.Error.String()
				assert.Contains(t, said, "it cannot be shown to them as it would run")
				assert.Contains(t, said, tt.why)
				assert.Contains(t, said, "Pass secrets by an environment variable or a file")
				assert.NotContains(t, said, "touch", "it quotes nothing")
				last := p.requests[1].Messages
				assert.Contains(t, last[len(last)-1].Text, said, "the model reads it")
			}, guarded("risky", ApprovalAsk), echo("run"))
		})
	}
}

// What the person approved runs, byte for byte, whatever becomes of the provider's buffer.
func TestWhatWasAskedIsWhatRuns(t *testing.T) {
	tool := guarded("risky", ApprovalAlways).(funcTool)
	tool.spec.Schema = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"rationale": {}}}
	asked := ` { "command" : "true -p` + githubToken() + `  \u0041", "n": 1.50, "rationale": "my own" } `
	buffer := rawJSON(asked)
	p := oneStep("", Call{Name: "risky", Arguments: buffer})
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		open := openApprovals(t, s, ref)
		require.Len(t, open, 1)
		assert.Contains(t, string(open[0].Approval.Shown.Raw()), `"true -p[REDACTED:github-pat]  A"`)
		copy(buffer[strings.Index(asked, "true"):], "evil")
		_, err := c.Approve(t.Context(), "ann", open[0].Approval.Request, session.Approve)
		require.NoError(t, err)
		synctest.Wait()
		last := p.requests[1].Messages
		assert.Equal(t, asked, last[len(last)-1].Text, "the tool returns the arguments it got")
	}, tool)
}

// An answer of Always covers calls that could not be shown: the tool was approved, not the call.
func TestAlwaysNeedsNoFurtherQuestion(t *testing.T) {
	p := &stepwise{responses: []Response{
		{Calls: []Call{{Name: "risky"}}},
		{Calls: []Call{{Name: "risky", Arguments: command("export GITHUB_TOKEN=`touch x`")}}}, {Text: "done"},
	}}
	inChat(t, p, func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		_, err := c.Approve(t.Context(), "ann", openApprovals(t, s, ref)[0].Approval.Request, session.Always)
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, []session.Outcome{session.Success, session.Success}, outcomes(t, s, ref))
	}, guarded("risky", ApprovalAsk))
}

// A front end's call that is refused does not go on waiting for its result.
func TestARefusedCallIsNotForwarded(t *testing.T) {
	inChat(t, oneStep("", Call{Name: "pick", Arguments: command("x | sh; TOKEN=`touch x`-" + githubToken() + "`y`")}),
		func(t *testing.T, c *Chat, s *session.Session) {
			e := sendWithTools(t, c, FrontEndTool{Name: "pick"})
			assert.Equal(t, []session.Outcome{session.Rejected}, outcomes(t, s, e.Ref))
			assert.Empty(t, c.frontEndCalls.open)
		})
}

func TestAToolWhoseNameIsMaskedIsNotAskedAbout(t *testing.T) {
	inChat(t, oneStep("", Call{Name: githubToken()}), func(t *testing.T, c *Chat, s *session.Session) {
		ref := send(t, c, "", "hi").Ref
		synctest.Wait()
		turn, err := s.Turn(ref.Thread, ref.Turn)
		require.NoError(t, err)
		call, _ := turn.Call("call_1")
		assert.Equal(t, session.Rejected, call.Outcome)
		assert.Contains(t, call.Error.String(), "the name of the tool would be hidden")
	}, guarded(githubToken(), ApprovalAlways))
}
