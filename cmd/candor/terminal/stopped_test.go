package terminal

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

func TestWhyAModelStoppedIsALineOfItsOwn(t *testing.T) {
	cut := client.Stopped{Stop: "length", Words: "cut off\x1b[31m at the limit"}
	const line = "  ┄ Why it stopped: cut off at the limit.\n"
	s := Style{}
	for name, got := range map[string]string{
		"an answer":                  Live{}.Lines(client.Event{Type: "response", Content: "It is", Stopped: cut}),
		"a message of a job":         s.jobEvent(client.Event{Type: "job_message", Role: "assistant", Stopped: cut}),
		"the reasoning of a job":     s.jobEvent(client.Event{Type: "job_reasoning", Stopped: cut}),
		"the answer of a whole turn": s.Detail(client.Turn{Response: "It is", Stopped: cut}, ""),
	} {
		assert.Contains(t, got, line, name)
	}
	assert.Empty(t, s.stopped(client.Stopped{}))
	refused := client.Turn{Error: "the model refused", Stopped: cut}
	assert.NotContains(t, s.Detail(refused, ""), "Why", "the error says it")
}
