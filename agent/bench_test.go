package agent

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

const (
	benchReason = "The error rate rose right after the deploy, so I read the log of that hour " +
		"and expect the first failing request in it."
	benchParams = `{"path":"logs/api/2026-02-21T10.log","query":"status=500","limit":50,"follow":false}`
	benchResult = `{"matches":[{"line":812,"text":"10:02:11 POST /login 500 in 31ms"},` +
		`{"line":813,"text":"10:02:11 POST /login 500 in 29ms"}],"truncated":false}`
)

// BenchmarkCapture measures the capture of one tool call: cleaning its reason,
// parameters and result, and recording and folding both events. x-encoding is the ratio
// to encoding the same call as JSON, which a service does anyway.
func BenchmarkCapture(b *testing.B) {
	layer := safety.NewLayer()
	store := session.NewMemory(nil)
	defer store.Close()
	s, err := store.Open(b.Context(), "bench")
	require.NoError(b, err)
	opened, err := s.OpenThread()
	require.NoError(b, err)
	var rec chatRecorder
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i%5 == 0 { // five calls a turn
			if i > 0 {
				require.NoError(b, rec.Record(session.TurnCompleted{}))
			}
			e, err := s.Accept(opened.Thread, safety.Literal("why?"), nil)
			require.NoError(b, err)
			rec = chatRecorder{session: s, ref: e.Ref}
		}
		why, found := rationale(layer, benchReason, "")
		params, _ := layer.CleanJSON(json.RawMessage(benchParams))
		result, _ := layer.CleanJSON(json.RawMessage(benchResult))
		_ = rec.Record(session.ToolCalled{
			Step: 1, Call: "call_1", Tool: safety.Literal("file_search"),
			Rationale: why, Params: params, Findings: found.Findings,
		})
		_ = rec.Record(session.ToolReturned{Call: "call_1", Outcome: session.Success, Result: result})
	}
	perOp := float64(b.Elapsed()) / float64(b.N)
	b.ReportMetric(perOp/encodingAlone(b.N), "x-encoding")
}

// encodingAlone returns the time that encoding one decision takes, in nanoseconds.
func encodingAlone(n int) float64 {
	decision := map[string]any{
		"tool_name": "file_search", "rationale": benchReason, "outcome": "success", "parallel_group": nil,
		"parameters": json.RawMessage(benchParams), "result": json.RawMessage(benchResult),
	}
	start := time.Now()
	for range n {
		_, _ = json.Marshal(decision)
	}
	return float64(time.Since(start)) / float64(n)
}

// BenchmarkStep measures one step of the loop without model and tool: the provider
// answers at once, and its one call returns at once.
func BenchmarkStep(b *testing.B) {
	const stepsPerTurn = 10
	box := &Toolbox{}
	require.NoError(b, box.Replace(echo("look")))
	p := &looping{steps: stepsPerTurn}
	d := &Dispatcher{Provider: p, Tools: box, Safety: safety.NewLayer(), Log: quiet()}
	b.ReportAllocs()
	for b.Loop() {
		_ = d.Run(b.Context(), &events{}, []Message{{Role: RoleUser, Text: "hi"}})
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/stepsPerTurn, "ns/step")
}
