package session_test

import (
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
)

// BenchmarkAppendWithFollowers measures one append including its fold and its delivery
// to a hundred readers, each of which folds it again. The metric x-encoding is the
// ratio of that time to the time of encoding the event as JSON a hundred times.
func BenchmarkAppendWithFollowers(b *testing.B) {
	const followers = 100
	store := session.NewMemory(nil)
	s, err := store.Open(b.Context(), "bench")
	require.NoError(b, err)
	opened, err := s.OpenThread()
	require.NoError(b, err)
	var readers sync.WaitGroup
	for range followers {
		readers.Go(func() {
			for range s.Watch(b.Context(), 0) {
			}
		})
	}
	body := toolCall("call_1", 1)
	b.ReportAllocs()
	b.ResetTimer()
	var ref session.Ref
	for i := 0; b.Loop(); i++ {
		if i%10 == 0 {
			if i > 0 {
				_, _ = s.Append(ref, session.TurnCompleted{})
			}
			e, err := s.Accept(opened.Thread, safety.Literal("hi"), nil)
			require.NoError(b, err)
			ref = e.Ref
		}
		if _, err := s.Append(ref, body); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, store.Close())
	readers.Wait() // until every reader has the last event
	perOp := float64(b.Elapsed()) / float64(b.N)
	b.ReportMetric(perOp/(followers*encodingAlone(b.N, body)), "x-encoding")
}

// encodingAlone returns the nanoseconds of encoding the event once, measured n times.
func encodingAlone(n int, body session.ToolCalled) float64 {
	decision := map[string]any{
		"tool_name": body.Tool, "rationale": body.Rationale.Text, "call_id": body.Call, "parameters": body.Params,
	}
	start := time.Now()
	for range n {
		_, _ = json.Marshal(decision)
	}
	return float64(time.Since(start)) / float64(n)
}
