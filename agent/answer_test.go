package agent

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
)

// replied returns a tool that needs approval and keeps how its question was answered.
func replied(into *Reply) Tool {
	t := guarded("risky", ApprovalAsk).(funcTool)
	t.run = func(ctx context.Context, _ json.RawMessage) (json.RawMessage, error) {
		*into = ReplyOf(ctx)
		return rawJSON(`"done"`), nil
	}
	return t
}

func TestWhatIsSaidBesideAnAnswerIsCleanedForTheLogAndRawForTheCall(t *testing.T) {
	long := `"` + strings.Repeat("x", maxValue-1) + `"`
	secret := `{"note":"` + githubToken() + `"}`
	for _, tt := range []struct {
		name, value, logged string
		answer              session.Answer
		err                 error
	}{
		{"another decision", `"hold"`, `"hold"`, session.Approve, nil},
		{"a secret", secret, `{"note":"[REDACTED:github-pat]"}`, session.Always, nil},
		{"beside a denial", `"never"`, `"never"`, session.Deny, nil},
		{"with space around it", " 1 \n", `1`, session.Approve, nil},
		{"nothing", ``, `null`, session.Approve, nil},
		{"null", ` null`, `null`, session.Approve, nil},
		{"no JSON", `hold`, ``, session.Approve, ErrValue},
		{"two values", `1 2`, ``, session.Approve, ErrValue},
		{"too much", long, ``, session.Approve, ErrValue},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got Reply
			inChat(t, oneStep("", Call{Name: "risky"}), func(t *testing.T, c *Chat, s *session.Session) {
				ref := send(t, c, "", "hi").Ref
				synctest.Wait()
				request := openApprovals(t, s, ref)[0].Approval.Request
				_, err := c.Answer(t.Context(), "ann", request, tt.answer, json.RawMessage(tt.value))
				require.ErrorIs(t, err, tt.err)
				if err != nil {
					assert.Len(t, openApprovals(t, s, ref), 1, "the question stays open")
					assert.NotContains(t, err.Error(), tt.value)
					_, err = c.Approve(t.Context(), "ann", request, session.Deny)
					require.NoError(t, err)
					return
				}
				synctest.Wait()
				turn, _ := s.Turn(ref.Thread, ref.Turn)
				call, _ := turn.Call("call_1")
				assert.JSONEq(t, tt.logged, string(call.Approval.Value.Raw()))
				if tt.answer != session.Deny {
					assert.Equal(t, tt.answer, got.Answer)
					assert.Equal(t, strings.Trim(strings.TrimSpace(tt.value), "nul"), string(got.Value))
				}
				assert.Equal(t, tt.value == secret, len(turn.Findings) == 1, "what was masked is counted")
			}, replied(&got))
		})
	}
}

func TestACallThatNobodyWasAskedAboutHasNoReply(t *testing.T) {
	got := Reply{Answer: session.Deny}
	d := newDispatcher(t, oneStep("", Call{Name: "risky"}), replied(&got))
	d.Approval = func(Spec) Approval { return ApprovalNever }
	runTurn(t, d)
	assert.Equal(t, Reply{}, got)
	assert.Equal(t, Reply{}, ReplyOf(t.Context()))
}

func TestTheModelReadsWhyACallWasDenied(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"words", `"  keep it, I need it "`, "denied this call, saying: keep it, I need it"},
		{"a secret", `"not with ` + githubToken() + `"`, "denied this call, saying: not with [REDACTED:github-pat]"},
		{"nothing", ``, "denied this call"},
		{"blanks", `" "`, "denied this call"},
		{"no text", `{"a":1}`, "denied this call"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			told := ""
			m := providerFunc(func(_ context.Context, r Request) (Response, error) {
				last := r.Messages[len(r.Messages)-1]
				if last.Role == RoleTool {
					told = last.Text
					return Response{Text: "so be it"}, nil
				}
				return Response{Calls: []Call{{Name: "risky"}}}, nil
			})
			inChat(t, m, func(t *testing.T, c *Chat, s *session.Session) {
				ref := send(t, c, "", "hi").Ref
				synctest.Wait()
				request := openApprovals(t, s, ref)[0].Approval.Request
				_, err := c.Answer(t.Context(), "ann", request, session.Deny, json.RawMessage(tt.value))
				require.NoError(t, err)
				synctest.Wait()
				assert.True(t, strings.HasSuffix(told, tt.want), told)
				turn, _ := s.Turn(ref.Thread, ref.Turn)
				call, _ := turn.Call("call_1")
				assert.True(t, strings.HasSuffix(call.Error.String(), tt.want), call.Error)
			}, replied(&Reply{}))
		})
	}
}
