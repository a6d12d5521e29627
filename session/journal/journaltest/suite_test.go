package journaltest_test

import (
	"context"
	"errors"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/journaltest"
)

// brokenEnv names the broken engine that TestSuite runs on; empty means memory.
const brokenEnv = "CANDOR_TEST_BROKEN_ENGINE"

// brokenEngines are engines that violate the specification, each with a clause that has to notice.
var brokenEngines = map[string]struct {
	open   func(m *memory, dir string) journal.Engine
	clause string
}{
	"one session for all": {
		func(m *memory, _ string) journal.Engine { return with(m, shared{m}) }, "sessions do not mix"},
	"every append succeeds": {
		func(m *memory, _ string) journal.Engine { return with(m, generous{m}) },
		"a stale number is a conflict and nothing is kept"},
	"a refused append is kept": {
		func(m *memory, _ string) journal.Engine { return with(m, hoarding{m}) },
		"a number beyond the end is a conflict and nothing is kept"},
	"the caller's bytes are kept": {
		func(m *memory, _ string) journal.Engine { return with(m, borrowing{m}) },
		"what a caller does to its bytes later changes nothing"},
	"a read ends after 256 frames": {
		func(m *memory, _ string) journal.Engine { return with(m, short{m}) }, "a long log is read whole"},
	"the first frame that is given has to begin with the event": {
		func(m *memory, _ string) journal.Engine { return with(m, literal{m}) },
		"a read begins with the frame that has the event"},
	"half of a replacement": {
		func(m *memory, _ string) journal.Engine { return with(m, halfway{m}) },
		"a replacement that cuts a frame replaces nothing"},
	"files that keep everything": {
		func(m *memory, dir string) journal.Engine { return with(m, archive{m, dir}) },
		"bytes that were replaced are gone"},
	"nothing is left after Close": {
		func(*memory, string) journal.Engine { return newMemory().engine() },
		"an engine that is opened again has everything"},
	"Close is forgotten": {
		func(m *memory, _ string) journal.Engine {
			e := m.engine()
			e.Close = func() error { return nil }
			return e
		},
		"a closed engine refuses everything"},
}

// with returns an engine that keeps its frames elsewhere.
func with(m *memory, f journal.Frames) journal.Engine {
	e := m.engine()
	e.Frames = f
	return e
}

func TestSuite(t *testing.T) {
	open := func(m *memory, _ string) journal.Engine { return m.engine() }
	broken, ok := brokenEngines[os.Getenv(brokenEnv)]
	if ok {
		open = broken.open
	}
	journaltest.Run(t, func(t *testing.T) journaltest.Place {
		m, p := newMemory(), journaltest.Place{}
		if os.Getenv(brokenEnv) == "files that keep everything" {
			p.Dir = t.TempDir()
		}
		p.Open = func() (journal.Engine, error) { return open(m, p.Dir), nil }
		return p
	})
}

// A suite that fails fails its test, so a process of its own runs it on each engine.
func TestTheSuiteRejectsBrokenEngines(t *testing.T) {
	for name, broken := range brokenEngines {
		t.Run(name, func(t *testing.T) {
			clause := strings.ReplaceAll(broken.clause, " ", "_")
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSuite$/^"+clause+"$", "-test.v")
			cmd.Env = append(os.Environ(), brokenEnv+"="+name)
			out, err := cmd.CombinedOutput()
			require.Error(t, err)
			assert.Contains(t, string(out), "--- FAIL: TestSuite/"+clause)
		})
	}
}

// shared has one session for all names.
type shared struct{ *memory }

func (s shared) Append(ctx context.Context, _ string, f journal.Frame) error {
	return s.memory.Append(ctx, "all", f)
}

// generous keeps every frame, wherever it belongs.
type generous struct{ *memory }

func (g generous) Append(ctx context.Context, session string, f journal.Frame) error {
	err := g.memory.Append(ctx, session, f)
	if errors.Is(err, journal.ErrConflict) {
		return nil
	}
	return err
}

// hoarding keeps frames that it refuses.
type hoarding struct{ *memory }

func (h hoarding) Append(ctx context.Context, session string, f journal.Frame) error {
	err := h.memory.Append(ctx, session, f)
	if errors.Is(err, journal.ErrConflict) {
		h.frames[session] = append(h.frames[session], f)
	}
	return err
}

// borrowing keeps the bytes of the caller instead of a copy.
type borrowing struct{ *memory }

func (b borrowing) Append(ctx context.Context, session string, f journal.Frame) error {
	err := b.memory.Append(ctx, session, f)
	if err == nil {
		b.frames[session][len(b.frames[session])-1] = f
	}
	return err
}

// short forgets that there is more than it reads at once.
type short struct{ *memory }

func (s short) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		n := 0
		for f, err := range s.memory.Read(ctx, session, from) {
			if n++; n > 256 || !yield(f, err) {
				return
			}
		}
	}
}

// literal skips a frame that begins before the event that is asked for.
type literal struct{ *memory }

func (l literal) Read(ctx context.Context, session string, from uint64) iter.Seq2[journal.Frame, error] {
	return func(yield func(journal.Frame, error) bool) {
		for f, err := range l.memory.Read(ctx, session, from) {
			if (err != nil || f.First >= from) && !yield(f, err) {
				return
			}
		}
	}
}

// halfway replaces one frame after the other, up to the one that it cannot replace.
type halfway struct{ *memory }

func (h halfway) Replace(ctx context.Context, session string, with []journal.Frame) error {
	for _, f := range with {
		if err := h.memory.Replace(ctx, session, []journal.Frame{f}); err != nil {
			return err
		}
	}
	return nil
}

// archive has a file to which it only adds.
type archive struct {
	*memory
	dir string
}

func (a archive) Append(ctx context.Context, session string, f journal.Frame) error {
	file, err := os.OpenFile(filepath.Join(a.dir, "archive"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(f.Data)
	return errors.Join(err, file.Close(), a.memory.Append(ctx, session, f))
}
