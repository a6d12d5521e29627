package session_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"candor/cmd/candor/apptest"
	"candor/safety"
	"candor/session"
	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// appendTime is for how long each way to append is measured, and frameBytes what an event of the engine's own
// measurements has, which is about what a recorded call takes.
const (
	appendTime = 3 * time.Second
	frameBytes = 700
)

// TestStorageFigures measures what `--data` costs beside SQLite itself, and writes it into the file of -figures, or
// skips itself without one.
func TestStorageFigures(t *testing.T) {
	if !apptest.WritesFigures() {
		t.Skip("set where its figures go: -figures FILE")
	}
	var out strings.Builder
	appendFigures(t, &out)
	readFigures(t, &out)
	apptest.WriteFigures(t, "Storage", out.String())
}

// appendFigures writes a table of how many events are acknowledged in a second.
func appendFigures(t *testing.T, out *strings.Builder) {
	t.Helper()
	fmt.Fprintf(out, "Events of %d bytes, each acknowledged before its writer appends the next; every writer has "+
		"a session of its own.\nSQLite alone is modernc's driver in the same mode with one event a transaction, and "+
		"with sixteen; the engine is package\nsession/journal/sqlite, and the session is the whole way of a recorded "+
		"call: cleaned text, fold, hash chain, engine.\n\n"+
		"| `--sync` | writers | SQLite, one each | SQLite, sixteen each | engine | of SQLite | "+
		"session | of SQLite |\n|---|---|---|---|---|---|---|---|\n", frameBytes)
	modes := []struct {
		name, pragma string
		sync         sqlite.Sync
	}{{"always", "full", sqlite.Always}, {"interval", "normal", sqlite.Interval}}
	for _, mode := range modes {
		one, sixteen := bareAppends(t, mode.pragma, 1), bareAppends(t, mode.pragma, 16)
		for _, writers := range []int{1, 16} {
			bare := one
			if writers == 16 {
				bare = sixteen
			}
			e, s := engineAppends(t, mode.sync, writers), sessionAppends(t, mode.sync, writers)
			fmt.Fprintf(out, "| %s | %d | %.0f/s | %.0f/s | %.0f/s | %.2f | %.0f/s | %.2f |\n",
				mode.name, writers, one, sixteen, e, e/bare, s, s/bare)
		}
	}
}

// perSecond calls do by a number of writers for appendTime and returns how many events a second that made,
// of which each call makes each.
func perSecond(t *testing.T, writers, each int, do func(writer, n int) error) float64 {
	t.Helper()
	var all sync.WaitGroup
	var done atomic.Int64
	start := time.Now()
	for w := range writers {
		all.Go(func() {
			for n := 0; time.Since(start) < appendTime; n++ {
				if err := do(w, n); err != nil {
					t.Error(err)
					return
				}
				done.Add(int64(each))
			}
		})
	}
	all.Wait()
	return float64(done.Load()) / time.Since(start).Seconds()
}

// bareAppends inserts rows into a database of its own, a number of them in each transaction.
func bareAppends(t *testing.T, synchronous string, rows int) float64 {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "bare.db")+
		"?_pragma=journal_mode(wal)&_pragma=synchronous("+synchronous+")")
	require.NoError(t, err)
	defer db.Close()
	_, err = db.Exec("CREATE TABLE frames (session, number, data, PRIMARY KEY (session, number))")
	require.NoError(t, err)
	frame := make([]byte, frameBytes)
	return perSecond(t, 1, rows, func(_, n int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for i := range rows {
			if _, err := tx.Exec("INSERT INTO frames VALUES (?, ?, ?)", i, n, frame); err != nil {
				return err
			}
		}
		return tx.Commit()
	})
}

func engineAppends(t *testing.T, mode sqlite.Sync, writers int) float64 {
	t.Helper()
	e, err := sqlite.Open(t.TempDir(), sqlite.Options{Sync: mode})
	require.NoError(t, err)
	defer e.Close()
	frame := make([]byte, frameBytes)
	return perSecond(t, writers, 1, func(w, n int) error {
		at := uint64(n + 1)
		return e.Append(t.Context(), fmt.Sprint(w), journal.Frame{First: at, Last: at, Data: frame})
	})
}

// said is a text that makes a recorded call as long as a frame of the engine's measurement.
var said = safety.Literal("The ledger rounds each line before it adds them up, and the invoice does not, so I look " +
	"at the function that both of them call, in the version of Tuesday and in the one before, to see which changed.")

func sessionAppends(t *testing.T, mode sqlite.Sync, writers int) float64 {
	t.Helper()
	store := openStorage(t, t.TempDir(), mode)
	defer store.Close()
	sessions, turns := make([]*session.Session, writers), make([]session.Ref, writers)
	for w := range writers {
		sessions[w], turns[w] = openTurn(t, store, fmt.Sprint("user", w))
	}
	return perSecond(t, writers, 1, func(w, n int) error {
		_, err := sessions[w].Append(turns[w], session.Narrated{Step: n%100 + 1, Text: said})
		return err
	})
}

func openStorage(t *testing.T, dir string, mode sqlite.Sync) *session.Durable {
	t.Helper()
	e, err := sqlite.Open(dir, sqlite.Options{Sync: mode})
	require.NoError(t, err)
	return session.NewDurable(e, nil, session.Limits{})
}

func openTurn(t *testing.T, store *session.Durable, user string) (*session.Session, session.Ref) {
	t.Helper()
	s, err := store.Open(t.Context(), user)
	require.NoError(t, err)
	opened, err := s.OpenThread()
	require.NoError(t, err)
	e, err := s.Accept(opened.Thread, safety.Literal("Why do they differ?"), nil)
	require.NoError(t, err)
	return s, e.Ref
}

// readFigures writes a table of what it takes to come back to a conversation of a number of turns.
func readFigures(t *testing.T, out *strings.Builder) {
	t.Helper()
	out.WriteString("\nA server starts on the folder of one conversation of turns with a call and an answer each (" +
		"six events), and its user opens\nthe latest page, of 50 turns; then all turns are read as an export " +
		"reads them. " +
		"Memory is what the page left on the heap.\n\n" +
		"| turns | stored | of each turn | latest page | KiB of memory | of each stored byte | " +
		"all turns | turns/s |\n|---|---|---|---|---|---|---|---|\n")
	for _, turns := range []int{10, 1_000, 100_000} {
		dir := t.TempDir()
		thread := fillStorage(t, dir, turns)
		info, err := os.Stat(filepath.Join(dir, "candor.db"))
		require.NoError(t, err)
		before := liveHeap()
		begun := time.Now()
		store := openStorage(t, dir, sqlite.Always)
		s, err := store.Open(t.Context(), "user")
		require.NoError(t, err)
		h, err := s.History(thread, session.Page{Limit: 50})
		require.NoError(t, err)
		require.Len(t, h.Turns, min(50, turns))
		page := time.Since(begun)
		kept := liveHeap() - before
		begun = time.Now()
		for turn, err := range s.Turns(thread, 1, turns) {
			require.NoError(t, err)
			require.NotZero(t, turn.Number)
		}
		all := time.Since(begun)
		fmt.Fprintf(out, "| %d | %.1f MB | %d B | %s | %.0f | %.3f | %s | %.0f |\n", turns, float64(info.Size())/1e6,
			int(info.Size())/turns, page.Round(100*time.Microsecond), kept/1024, kept/float64(info.Size()),
			all.Round(100*time.Microsecond), float64(turns)/all.Seconds())
		require.NoError(t, store.Close())
	}
}

// fillStorage keeps a conversation in a folder and returns its id.
func fillStorage(t *testing.T, dir string, turns int) string {
	t.Helper()
	store := openStorage(t, dir, sqlite.Interval)
	s, ref := openTurn(t, store, "user")
	for n := 1; ; n++ {
		for _, b := range []session.Body{
			session.TurnStarted{Input: safety.Literal("Why do they differ?")}, session.Narrated{Step: 1, Text: said},
			toolCall("call_1", 1), session.StepEnded{Step: 1}, session.TurnCompleted{Response: said},
		} {
			_, err := s.Append(ref, b)
			require.NoError(t, err)
		}
		if n == turns {
			break
		}
		e, err := s.Accept(ref.Thread, safety.Literal("Why do they differ?"), nil)
		require.NoError(t, err)
		ref = e.Ref
	}
	require.NoError(t, store.Close())
	return ref.Thread
}

// liveHeap returns the bytes of the live heap.
func liveHeap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
