package dialect_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
)

// tellAll returns what spans tell that come in one request.
func tellAll(traces *dialect.Traces, spans ...otlp.Span) []attach.Sighting {
	for _, s := range spans {
		if n, _, ok := dialect.Read(s, strings.Clone); ok {
			traces.Add(at(100), n)
		}
	}
	return traces.Ready(at(100))
}

// TestACallThatIsToldTwiceIsOneCall holds that an exporter which repeats a model's span adds no call that the span of a
// tool could be of: a second tool would get the first one's call.
func TestACallThatIsToldTwiceIsOneCall(t *testing.T) {
	var traces dialect.Traces
	ask := flat("ask", "", 1)
	tellAll(&traces, ask)
	tellAll(&traces, ask)
	got := lines(tellAll(&traces, flat("use", "", 2)))
	assert.Contains(t, got, `use returned call_1 {"degrees":4}`)
	second := flat("use", "", 3)
	second.ID, second.Attrs["input.value"] = hexID("again", 16), `{"city":"Rome"}`
	assert.Empty(t, lines(tellAll(&traces, second)), "its own call is not known yet")
	assert.Equal(t, 1, traces.Unmatched())
}

// TestARequestThatIsRepeatedTellsAllAgain holds that nothing is left out of a request that an exporter repeats, since
// it was perhaps not recorded: neither how a sub-agent began, nor the model, nor a tool that was matched.
func TestARequestThatIsRepeatedTellsAllAgain(t *testing.T) {
	var traces dialect.Traces
	spans := []otlp.Span{flat("ask", "run", 1), flat("say", "inner", 2), flat("run", "use", 3), flat("use", "run", 4),
		flat("run", "", 5)}
	spans[2].ID = hexID("inner", 16)
	first := lines(tellAll(&traces, spans...))
	assert.Contains(t, first, "run/inner spawned by call_1 run", "the tool does not name its call, and was matched")
	assert.Contains(t, first, " about opus")
	assert.Contains(t, first, `run returned call_1 {"degrees":4}`)
	assert.Equal(t, first, lines(tellAll(&traces, spans...)))
	assert.Zero(t, traces.Unmatched())

	// Of other spans it is not told again.
	more := flat("ask", "run", 6)
	more.ID = hexID("more", 16)
	assert.NotContains(t, lines(tellAll(&traces, more)), " about opus")
}
