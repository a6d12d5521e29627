package transcript_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/transcript"
)

// taker takes batches, and keeps what they say.
type taker struct {
	t       *testing.T
	list    []attach.Sighting
	batches int
	told    []string
}

// walk returns a walk of a place that sends to the taker.
func (k *taker) walk(place string) *transcript.Walk {
	return &transcript.Walk{Places: []string{place}, Send: k.send, Told: func(path, what string) {
		k.told = append(k.told, filepath.Base(path)+" "+what)
	}}
}

func (k *taker) send(_ context.Context, batch []byte, n int) error {
	k.batches++
	assert.LessOrEqual(k.t, len(batch), transcript.MaxBatch)
	lines := bufio.NewScanner(bytes.NewReader(batch))
	lines.Buffer(nil, transcript.MaxBatch)
	for lines.Scan() {
		var s attach.Sighting
		assert.NoError(k.t, json.Unmarshal(lines.Bytes(), &s))
		k.list = append(k.list, s)
		n--
	}
	assert.Zero(k.t, n, "the number of sightings in a batch")
	return nil
}

// prompts returns the texts of the prompts that were taken.
func (k *taker) prompts() (texts []string) {
	for _, s := range k.list {
		if s.Prompted != nil {
			texts = append(texts, s.Prompted.Text)
		}
	}
	return texts
}

// prompt returns a row of a person's message.
func prompt(session, text string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":%q,"promptId":"p","message":{"content":%q}}`+"\n", session, text)
}

// write writes a file below dir; each write is a second later than the one before.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	written++
	at := time.Unix(1_800_000_000+int64(written), 0)
	require.NoError(t, os.Chtimes(path, at, at))
	return path
}

var written int

// folder returns an agent's folder with a session, its sub-agent, and the session of another folder, and what is no
// session.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "projects/-w/s1/subagents/agent-a1.meta.json", `{"agentType":"Plan","toolUseId":"c1"}`)
	write(t, dir, "projects/-w/s1/subagents/agent-a1.jsonl",
		strings.Replace(prompt("s1", "plan"), "{", `{"agentId":"a1",`, 1)+
			`{"type":"assistant","sessionId":"s1","agentId":"a1","message":{"id":"m","content":[{"type":"text",`+
			`"text":"I plan."}]}}`+"\n")
	write(t, dir, "projects/-v/s2.jsonl", prompt("s2", "second"))
	write(t, dir, "projects/-w/s1.jsonl", prompt("s1", "first"))
	write(t, dir, "history.jsonl", "{}\n")
	write(t, dir, "projects/-w/memory/notes.md", "none")
	return dir
}

func TestAFolderIsReadWithItsSubAgents(t *testing.T) {
	dir := folder(t)
	for name, c := range map[string]struct {
		place string
		files int
		want  []string
	}{
		"the agent's own folder": {dir, 3, []string{"second", "first"}},
		"a folder of sessions":   {filepath.Join(dir, "projects", "-w"), 2, []string{"first"}},
		"a session":              {filepath.Join(dir, "projects", "-w", "s1.jsonl"), 2, []string{"first"}},
		"one without sub-agents": {filepath.Join(dir, "projects", "-v", "s2.jsonl"), 1, []string{"second"}},
		"one of another name":    {write(t, t.TempDir(), "copy.txt", prompt("s3", "third")), 1, []string{"third"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			w := k.walk(c.place)
			require.NoError(t, w.Once(t.Context()))
			assert.Equal(t, c.want, k.prompts())
			assert.Equal(t, c.files, w.Report().Files)
			began := 0
			for _, s := range k.list {
				if s.Spawned != nil {
					began++
					assert.Equal(t, "s1 p a1 c1 Plan", strings.Join([]string{s.Session, s.Turn, s.Sub, s.Call,
						s.Spawned.Kind}, " "))
				}
			}
			assert.Equal(t, c.want[len(c.want)-1] == "first", began == 1)
			assert.Empty(t, k.told)
		})
	}
}

func TestAPlaceWithoutSessionsIsAnError(t *testing.T) {
	k := &taker{t: t}
	require.ErrorIs(t, k.walk(t.TempDir()).Once(t.Context()), transcript.ErrNoFiles)
	require.ErrorIs(t, k.walk(filepath.Join(t.TempDir(), "none")).Once(t.Context()), os.ErrNotExist)
}

func TestWhatABadFileLosesIsTold(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "torn.jsonl", prompt("s", "whole")+prompt("s", "torn")[:20])
	write(t, dir, "s/subagents/agent-a1.jsonl", strings.Replace(prompt("s", "x"), "{", `{"agentId":"a1",`, 1))
	write(t, dir, "s/subagents/agent-a1.meta.json", `[]`)
	require.NoError(t, os.Symlink("/dev/zero", filepath.Join(dir, "endless.jsonl")))
	k := &taker{t: t}
	w := k.walk(dir)
	require.NoError(t, w.Once(t.Context()))
	assert.ElementsMatch(t, []string{"torn.jsonl ends in the middle of a row, which is lost",
		"agent-a1.jsonl has a description file that cannot be read: " +
			"this is not a description of a sub-agent, or it is damaged",
	}, k.told)
	assert.Equal(t, []string{"whole"}, k.prompts())
	assert.Equal(t, 1, w.Report().Torn)
}

// TestFollowingReadsWhatIsAdded changes files between the looks of a walk that follows.
func TestFollowingReadsWhatIsAdded(t *testing.T) {
	dir := t.TempDir()
	k := &taker{t: t}
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		w := k.walk(dir)
		ended := make(chan error, 1)
		go func() { ended <- w.Follow(ctx, time.Second) }()
		first := prompt("s", strings.Repeat("one ", 200))
		steps := []struct{ text, want, told string }{
			{"", "", ""},
			{first, strings.Repeat("one ", 200), ""},
			{first + prompt("s", "two"), "two", ""},
			{first + prompt("s", "two") + prompt("s", "three")[:30], "", ""},
			{first + prompt("s", "two") + prompt("s", "three"), "three", ""},
			{prompt("s", "short"), "short",
				"s.jsonl is shorter than before: it is read again from its start"},
			{prompt("s", "other") + prompt("s", "long"), "other long",
				"s.jsonl was rewritten: it is read again from its start"},
		}
		for i, step := range steps {
			time.Sleep(time.Second / 2)
			synctest.Wait()
			k.list, k.told = nil, nil
			write(t, dir, "s.jsonl", step.text)
			time.Sleep(time.Second / 2)
			synctest.Wait()
			assert.Equal(t, step.want, strings.Join(k.prompts(), " "), "step %d", i)
			assert.Equal(t, step.told, strings.Join(k.told, " "))
		}
		stop()
		assert.NoError(t, <-ended)
		assert.Equal(t, 6, w.Report().Rows, "of all readings")
	})
}

func TestBatchesAreFullAndBounded(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString(prompt("s", strings.Repeat("é", 50_000)+fmt.Sprint(i)))
	}
	k := &taker{t: t}
	path := write(t, t.TempDir(), "s.jsonl", text.String())
	w := k.walk(path)
	var counted strings.Builder
	w.Count = &counted
	require.NoError(t, w.Once(t.Context()))
	assert.Len(t, k.list, 101, "and the end of the turn")
	assert.Equal(t, 10, k.batches)
	assert.Equal(t, text.Len(), counted.Len())
	size, err := transcript.Size(path)
	require.NoError(t, err)
	assert.EqualValues(t, text.Len(), size)
}

func TestAWalkEndsWithItsContextAndWithItsTaker(t *testing.T) {
	dir := folder(t)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	k := &taker{t: t}
	require.ErrorIs(t, k.walk(dir).Once(ctx), context.Canceled)
	refused := errors.New("no")
	refuse := func(context.Context, []byte, int) error { return refused }
	w := &transcript.Walk{Places: []string{dir}, Send: refuse}
	require.ErrorIs(t, w.Once(t.Context()), refused)
	w = &transcript.Walk{Places: []string{dir}, Send: refuse}
	require.ErrorIs(t, w.Follow(t.Context(), time.Second), refused)
}

// TestMemoryDoesNotGrowWithTheFile reads a file of 40 MB that holds blobs which nobody reads.
func TestMemoryDoesNotGrowWithTheFile(t *testing.T) {
	blob := `{"type":"api-request-blob","sessionId":"s","blob":"` + strings.Repeat("QUJD", 250_000) + `"}` + "\n"
	path := write(t, t.TempDir(), "s.jsonl", strings.Repeat(blob+prompt("s", "x"), 40))
	highest, parts := uint64(0), 0
	w := &transcript.Walk{Places: []string{path}, Send: func(context.Context, []byte, int) error { return nil }}
	w.Count = writer(func(p []byte) (int, error) {
		if parts++; parts%50 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			highest = max(highest, m.HeapAlloc)
		}
		return len(p), nil
	})
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, 41, w.Report().Sightings)
	assert.Less(t, highest, uint64(20<<20))
}

// writer is a function as a writer.
type writer func(p []byte) (int, error)

func (w writer) Write(p []byte) (int, error) { return w(p) }

// TestNothingThatIsOldRunsForEverInAFileThatIsFollowed has a turn that no row ends, in a file of today and in an old
// one.
func TestNothingThatIsOldRunsForEverInAFileThatIsFollowed(t *testing.T) {
	for name, age := range map[string]time.Duration{"of today": time.Minute, "of yesterday": 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			path := write(t, t.TempDir(), "s.jsonl", prompt("s", "x"))
			at := time.Now().Add(-age)
			require.NoError(t, os.Chtimes(path, at, at))
			ctx, stop := context.WithCancel(t.Context())
			w := k.walk(path)
			send := w.Send
			w.Send = func(ctx context.Context, batch []byte, n int) error {
				stop()
				return send(ctx, batch, n)
			}
			require.NoError(t, w.Follow(ctx, time.Hour))
			ends := 0
			for _, s := range k.list {
				if s.Ended != nil {
					ends++
				}
			}
			assert.Equal(t, age > time.Hour, ends == 1)
		})
	}
}
