package session_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

func TestAStopIsKnownByEveryNameThatProvidersGiveIt(t *testing.T) {
	for want, words := range map[session.Stop][]string{
		session.StopLength: {"length", "max_tokens", "MAX_TOKENS", "max_output_tokens", "incomplete", "LENGTH",
			"FinishReason.MAX_TOKENS", "FINISH_REASON_MAX_TOKENS"},
		session.StopContext: {"model_context_window_exceeded", "model_length", "context_length_exceeded", "context"},
		session.StopFilter: {"content_filter", "content-filter", "SAFETY", "RECITATION", "PROHIBITED_CONTENT",
			"guardrail_intervened", "filter"},
		session.StopRefusal: {"refusal"},
		session.StopPaused:  {"pause_turn", "paused"},
		session.StopError: {"error", "insufficient_system_resource", "MALFORMED_FUNCTION_CALL", "abort", "failed",
			"network_error", "function_call_filter: MALFORMED_FUNCTION_CALL"},
		session.StopNoCall: {"no_call"},
		session.StopOther:  {"unknown", "moon_phase", "none of your business \x1b[31m"},
		"": {"", "stop", "end_turn", "STOP", "tool_calls", "tool-calls", "tool_use", "stop_sequence", "function_call",
			"completed", "eos_token", "null", " ", "FINISH_REASON_UNSPECIFIED"},
	} {
		for _, word := range words {
			assert.Equal(t, want, session.StopOf(word), "%q", word)
		}
	}
}

// What is written as a stop is read as the same one, so a worker can post ours.
func TestEveryStopHasItsWordsAndItsNames(t *testing.T) {
	said := map[string]bool{}
	for _, stop := range session.Stops() {
		assert.Equal(t, stop, session.StopOf(string(stop)))
		assert.NotEmpty(t, stop.Words())
		assert.NotEmpty(t, stop.FinishReason())
		assert.False(t, said[stop.Words()], "two stops read alike: %s", stop.Words())
		said[stop.Words()] = true
	}
	assert.Empty(t, session.Stop("").Words())
	assert.False(t, session.Stop("").CutOff())
	assert.False(t, session.StopPaused.CutOff(), "a paused answer is whole so far")
}
