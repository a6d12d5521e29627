package openwop_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/cmd/candor/app"
	"candor/cmd/candor/apptest"
)

// moodyModel speaks like OpenAI's, and says something else each time that it is asked: by turns a
// call of a tool, with another reason each time, and another answer.
func moodyModel(t *testing.T) (asked *atomic.Int64) {
	t.Helper()
	asked = &atomic.Int64{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		n := asked.Add(1)
		delta, finish := fmt.Sprintf(`{"role":"assistant","content":"It is answer %d."}`, n), "stop"
		if n%2 == 1 {
			finish = "tool_calls"
			delta = fmt.Sprintf(`{"role":"assistant","content":"I look for time %d.","tool_calls":[{"index":0,`+
				`"id":"x","type":"function","function":{"name":"time",`+
				`"arguments":"{\"rationale\":\"reason %d\"}"}}]}`, n, n)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		const chunk = `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",` +
			`"choices":[{"index":0,"delta":%s,"finish_reason":%s}]}` + "\n\n"
		fmt.Fprintf(w, chunk, delta, "null")
		fmt.Fprintf(w, chunk+"data: [DONE]\n\n", "{}", strconv.Quote(finish))
	}))
	t.Cleanup(server.Close)
	t.Setenv(app.OpenAIBaseEnv, server.URL+"/v1")
	return asked
}

// A replay asks no model: one that answers otherwise each time would give other events.
func TestAReplayIsEqualUnderAModelThatAnswersOtherwise(t *testing.T) {
	asked := moodyModel(t)
	s := apptest.StartModel(t, app.Settings{Model: app.ModelSettings{Provider: "openai", Name: "m"}})
	run := say(t, s, "What time is it?")
	first := facts(t, events(t, s, run["eventsUrl"].(string)+"?streamMode=debug"))
	for _, said := range []string{"reason 1", "I look for time 1.", "It is answer 2."} {
		assert.Contains(t, first, said)
	}
	assert.EqualValues(t, 2, asked.Load())

	again := replay(t, s, run["statusUrl"].(string))
	assert.Equal(t, first, facts(t, events(t, s, again["eventsUrl"].(string)+"?streamMode=debug")))
	assert.EqualValues(t, 2, asked.Load(), "a replay asks nobody")

	other := say(t, s, "What time is it?")
	assert.NotEqual(t, first, facts(t, events(t, s, other["eventsUrl"].(string)+"?streamMode=debug")),
		"the model answers otherwise when it is asked")
}
