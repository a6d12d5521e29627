package jobs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

func TestAWorkerSaysWhyItsModelStoppedInItsProvidersWord(t *testing.T) {
	for word, want := range map[string]any{
		`"stop":"length"`: "length", `"stop_reason":"max_tokens"`: "length",
		`"finish_reason":"content_filter"`: "filter",
		`"stop":"end_turn"`:                nil, `"stop":"<b>moon</b>"`: "other", `"stop":""`: nil,
	} {
		s := apptest.Start(t, app.Settings{}, apptest.Answering("x"))
		id, token := s.NewJob("x")
		require.Equal(t, 200, s.PostEvents(id, token, `[
			{"event":"tool_use","tool_name":"ls","call_id":"a","narrative":"I look.","thought":"It may be there."},
			{"event":"tool_use","tool_name":"cat","call_id":"b","text_before":"Then I read it."},
			{"event":"reasoning",`+word+`,"tool_decisions":[{"tool_name":"ls","call_id":"a"}]},
			{"event":"message","content":"It is",`+word+`}]`).Status)
		turn := s.Do("ann", "GET", "/api/jobs/"+id, "").JSON()["turns"].([]any)[0].(map[string]any)
		assert.Equal(t, want, turn["stop"], word)
		assert.Equal(t, want != nil, turn["step_stops"] != nil, word)
		reasoning := turn["reasoning"].(map[string]any)
		assert.Equal(t, "It may be there.", reasoning["thought"])
		assert.Equal(t, "summary", reasoning["thought_source"])
		assert.Equal(t, "Then I read it.", reasoning["tool_decisions"].([]any)[1].(map[string]any)["text_before"])
	}
}
