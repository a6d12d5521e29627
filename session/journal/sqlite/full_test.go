package sqlite

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/journal"
)

// allow lets the database have so many pages.
func allow(t *testing.T, e *engine, pages int) {
	t.Helper()
	require.NoError(t, e.writer.submit(t.Context(), false, func(g *group) error {
		return g.exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
	}))
}

// A database that may not grow refuses frames and keeps nothing of them. When it may again, the engine becomes ready
// by itself.
func TestADatabaseThatMayNotGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{dir: t.TempDir()}
		require.NoError(t, e.open(Options{}))
		allow(t, e, 40)
		var kept [8]uint64
		var all sync.WaitGroup
		for w := range kept {
			all.Go(func() {
				for {
					n := kept[w] + 1
					f := journal.Frame{First: n, Last: n, Data: bytes.Repeat([]byte{byte(w)}, 2000)}
					err := e.Append(t.Context(), fmt.Sprint(w), f)
					if err != nil {
						assert.ErrorIs(t, err, journal.ErrUnavailable)
						assert.ErrorContains(t, err, "is full")
						return
					}
					kept[w] = n
				}
			})
		}
		all.Wait()
		large := journal.Frame{First: 1, Last: 1, Data: make([]byte, 50_000)}
		require.ErrorIs(t, e.status().Ready, journal.ErrUnavailable)
		require.ErrorIs(t, e.Append(t.Context(), "new", large), journal.ErrUnavailable)
		allow(t, e, maxPages)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.NoError(t, e.status().Ready)
		for w, last := range kept {
			n := uint64(0)
			for f, err := range e.Read(t.Context(), fmt.Sprint(w), 1) {
				require.NoError(t, err)
				n = f.Last
			}
			assert.Equal(t, last, n, "what was acknowledged and nothing else")
		}
		require.NoError(t, e.close())
	})
}

func TestGapsAreFoundInPagesOfTreesOnly(t *testing.T) {
	leaf := make([]byte, pageSize)
	leaf[0], leaf[4], leaf[5], leaf[6] = 13, 3, 0x0f, 0 // three rows, which begin at 0x0f00
	assert.Len(t, gap(2, leaf), 0x0f00-8-6)
	inner := bytes.Clone(leaf)
	inner[0] = 5
	assert.Len(t, gap(2, inner), 0x0f00-12-6)
	first := append(make([]byte, databaseHead), leaf[:pageSize-databaseHead]...)
	assert.Len(t, gap(1, first), 0x0f00-databaseHead-8-6)
	overflow := bytes.Clone(leaf)
	overflow[0], overflow[1] = 1, 0xff // the number of another page, as high as maxPages lets it become
	assert.Nil(t, gap(2, overflow))
	wild := bytes.Clone(leaf)
	wild[3] = 0xff // more rows than there is room for
	assert.Nil(t, gap(2, wild))
}

// hold makes the engine hold back so many bytes of its disk.
func hold(t *testing.T, e *engine, bytes int64) {
	t.Helper()
	require.NoError(t, e.writer.submit(t.Context(), true, func(g *group) error {
		g.w.reserve.size = bytes
		g.w.reserve.held = false
		return nil
	}))
}

// On a disk without room nothing is recorded, which the status says; what is deleted is, and then it is ready again.
func TestADiskWithoutRoomStillDeletes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &engine{dir: t.TempDir()}
		require.NoError(t, e.open(Options{}))
		require.Positive(t, DiskSize(e.dir))
		_, err := e.Open(t.Context(), "ann", "s")
		require.NoError(t, err)
		f := journal.Frame{First: 1, Last: 1, Data: []byte("kept")}
		require.NoError(t, e.Append(t.Context(), "s", f))
		hold(t, e, 1<<60)
		f.First, f.Last = 2, 2
		err = e.Append(t.Context(), "s", f)
		require.ErrorIs(t, err, journal.ErrDiskFull)
		require.ErrorContains(t, err, "can be read and deleted only")
		require.ErrorIs(t, e.status().Ready, journal.ErrDiskFull)
		require.NoError(t, e.Remove(t.Context(), "ann"))
		for range e.Read(t.Context(), "s", 1) {
			require.Fail(t, "the session is deleted")
		}
		hold(t, e, 1<<12)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		require.NoError(t, e.status().Ready)
		require.FileExists(t, filepath.Join(e.dir, reserveFile))
		require.NoError(t, e.close())
	})
}
