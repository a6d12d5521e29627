package otlp

import (
	"crypto/sha256"
	"strconv"

	"candor/session"
)

// traceID returns the id of a turn's trace, which the turn alone decides.
func traceID(t session.Turn) []byte {
	of := "thread/" + t.Thread
	if t.Job != "" {
		of = "job/" + t.Job
	}
	sum := sha256.Sum256([]byte("candor/" + t.Session + "/" + of + "/" + strconv.Itoa(t.Number)))
	return sum[:16]
}

// spanID returns the id of a span of a trace. key is unique in the trace.
func spanID(trace []byte, key string) []byte {
	sum := sha256.Sum256(append([]byte(key+"/"), trace...))
	return sum[:8]
}

// The keys of a turn's spans. The lead agent's is that of the turn.
func agentKey(agent string) string { return "agent/" + agent }
func callKey(call string) string   { return "call/" + call }
func stepKey(agent string, number int) string {
	return "step/" + agent + "/" + strconv.Itoa(number)
}
