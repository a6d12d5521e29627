package main

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
)

// TestTurns runs each case of testdata/turns through the real dispatcher, safety layer,
// log and handlers, and compares what history, the two streams and an export contain.
func TestTurns(t *testing.T) {
	apptest.EachCase(t, func(t *testing.T, c apptest.Case) {
		var got views
		synctest.Test(t, func(t *testing.T) { got = playCase(t, c) })
		apptest.CompareGolden(t, filepath.Join(c.Dir, "history.json"), got.history)
		apptest.CompareGolden(t, filepath.Join(c.Dir, "stream.sse"), got.stream)
		apptest.CompareGolden(t, filepath.Join(c.Dir, "agui.sse"), got.agui)
		apptest.CompareGolden(t, filepath.Join(c.Dir, "export.md"), got.export)
		apptest.CompareGolden(t, filepath.Join(c.Dir, "otlp.txt"), got.otlp)
		apptest.AssertNoFixture(t, got.history+got.stream+got.agui+got.export+got.otlp)
	})
}

// views are the texts that a case leads to.
type views struct{ history, stream, agui, export, otlp string }

func playCase(t *testing.T, c apptest.Case) views {
	p := apptest.NewPlay(t, apptest.ReadFixture(t, filepath.Join(c.Dir, "script.json")))
	defer p.Close()

	p.Post("/api/chat/thread/new", "")
	thread := p.Post("/api/chat/send", string(apptest.JSON(t, apptest.M{"content": c.Message})))["thread_id"].(string)
	if c.InterruptAfterMS > 0 {
		time.Sleep(time.Duration(c.InterruptAfterMS) * time.Millisecond) // fake time
		p.Post("/api/chat/interrupt", "{}")
	}
	p.Answer(c.Approvals, thread)
	time.Sleep(5 * time.Second) // fake time
	synctest.Wait()
	var indented bytes.Buffer
	require.NoError(t, json.Indent(&indented, []byte(p.Get("/api/chat/history?thread_id="+thread)), "", "  "))
	agui := p.Get("/agui/threads/" + thread + "/events?after=" + apptest.PlaySession[:8] + "-0")
	export := p.Get("/api/chat/export?format=md&thread_id=" + thread)
	return views{indented.String(), p.StopStream(), agui, export, otlpOf(t, p, thread)}
}
