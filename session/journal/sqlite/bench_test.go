package sqlite_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"candor/session/journal"
	"candor/session/journal/sqlite"
)

// kilobyte is what the benchmarks append.
var kilobyte = make([]byte, 1024)

// BenchmarkAppend appends frames of 1 KB by one writer and by sixteen, each to a session of its own, in both ways of
// Sync. BenchmarkBareInsert is what to compare it with.
func BenchmarkAppend(b *testing.B) {
	for name, mode := range map[string]sqlite.Sync{"always": sqlite.Always, "interval": sqlite.Interval} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", name, writers), func(b *testing.B) {
				dir := b.TempDir()
				e, err := sqlite.Open(dir, sqlite.Options{Sync: mode})
				require.NoError(b, err)
				b.ResetTimer()
				share(b, writers, func(w, n int) error {
					f := journal.Frame{First: uint64(n + 1), Last: uint64(n + 1), Data: kilobyte}
					return e.Append(b.Context(), fmt.Sprint(w), f)
				})
				b.StopTimer()
				require.NoError(b, e.Close())
				reportSize(b, dir)
			})
		}
	}
}

// share has writers do b.N things together. do gets the writer and how many things that writer did.
func share(b *testing.B, writers int, do func(w, n int) error) {
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			for n := range (b.N + writers - 1 - w) / writers {
				if err := do(w, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "frames/s")
}

// reportSize reports the bytes on disk for each byte of the frames.
func reportSize(b *testing.B, dir string) {
	info, err := os.Stat(filepath.Join(dir, "candor.db"))
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size())/float64(b.N*len(kilobyte)), "disk/byte")
}

// BenchmarkBareInsert inserts rows of 1 KB through database/sql, one transaction each, which is what an engine
// without a writer of its own would do.
func BenchmarkBareInsert(b *testing.B) {
	for name, setting := range map[string]string{"always": "full", "interval": "normal"} {
		for _, writers := range []int{1, 16} {
			b.Run(fmt.Sprintf("%s/%d", name, writers), func(b *testing.B) {
				db, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+
					"?_pragma=journal_mode(wal)&_pragma=synchronous("+setting+")")
				require.NoError(b, err)
				defer db.Close()
				db.SetMaxOpenConns(1)
				_, err = db.Exec("CREATE TABLE frames (session, number, data, PRIMARY KEY (session, number))")
				require.NoError(b, err)
				b.ResetTimer()
				share(b, writers, func(w, n int) error {
					_, err := db.Exec("INSERT INTO frames VALUES (?, ?, ?)", w, n, kilobyte)
					return err
				})
			})
		}
	}
}

// BenchmarkRead reads a session of 10, 1,000 and 100,000 frames of 1 KB.
func BenchmarkRead(b *testing.B) {
	for _, frames := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprint(frames), func(b *testing.B) {
			e, err := sqlite.Open(b.TempDir(), sqlite.Options{Sync: sqlite.Interval})
			require.NoError(b, err)
			defer e.Close()
			for n := range uint64(frames) {
				require.NoError(b, e.Append(b.Context(), "s", journal.Frame{First: n + 1, Last: n + 1, Data: kilobyte}))
			}
			b.ResetTimer()
			for range b.N {
				for _, err := range e.Read(b.Context(), "s", 1) {
					require.NoError(b, err)
				}
			}
			b.ReportMetric(float64(b.N*frames)/b.Elapsed().Seconds(), "frames/s")
		})
	}
}
