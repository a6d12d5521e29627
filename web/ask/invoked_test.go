package ask_test

import (
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// TestAQuestionThatSaysWhyItIsAskedIsADecision holds that a call of our own tools with the reason that a draft of the
// protocol has beside the arguments is recorded, once, for the user who asked, with its end; and one without is not.
func TestAQuestionThatSaysWhyItIsAskedIsADecision(t *testing.T) {
	secret := apptest.Fixtures()["github_token"]
	for name, connect := range map[string]func(t *testing.T, s *apptest.Server) *asker{
		"over HTTP": func(t *testing.T, s *apptest.Server) *asker { return over(t, s, apptest.TokenOf("ann")) },
		"over standard input and output": func(t *testing.T, s *apptest.Server) *asker {
			return beside(t, s.URL, "ann")
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := apptest.Start(t, app.Settings{}, nil)
			a := connect(t, s)
			ask := func(meta mcp.Meta, arguments apptest.M) {
				_, err := a.mcp.CallTool(t.Context(), &mcp.CallToolParams{Meta: meta, Name: "search_reasons",
					Arguments: arguments})
				require.NoError(t, err)
			}
			ask(nil, apptest.M{"query": "licence"})
			ask(mcp.Meta{"io.modelcontextprotocol/aiInvocation": "why"}, apptest.M{"query": "licence"})
			assert.Empty(t, s.Session("ann").Threads())
			ask(mcp.Meta{"io.modelcontextprotocol/aiInvocation": apptest.M{"turnId": "t1",
				"userIntent":       "Why the licence?",
				"invocationReason": "To find who chose it, with " + secret}}, apptest.M{"query": "licence"})
			ask(mcp.Meta{"io.modelcontextprotocol/aiInvocation": apptest.M{"invocationReason": "Once more."}},
				apptest.M{"query": "licence", "limit": -1})
			threads := s.Session("ann").Threads()
			require.Len(t, threads, 1)
			assert.Equal(t, "test", threads[0].Origin.Participant.String())
			turns := s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).JSON()["turns"].([]any)
			require.Len(t, turns, 2)
			first, second := turns[0].(apptest.M), turns[1].(apptest.M)
			assert.Equal(t, "Why the licence?", first["user_input"])
			decision := first["reasoning"].(apptest.M)["tool_decisions"].([]any)[0].(apptest.M)
			assert.Contains(t, decision["rationale"], "To find who chose it")
			assert.Equal(t, "success", decision["outcome"])
			assert.Equal(t, apptest.M{"query": "licence"}, decision["parameters"])
			assert.Equal(t, "completed", second["state"])
			assert.Contains(t, second["tool_calls"].([]any)[0].(apptest.M)["error"], "limit is from 1 to")
			raw := s.Get("ann", "/api/chat/history?thread_id="+threads[0].ID).Body
			assert.NotContains(t, raw, secret)
		})
	}
}
