package progress

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wide is the width of a window of 100 columns.
func wide() int { return 100 }

// screen keeps what was written to it.
type screen struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all.Write(p)
}

// last returns the line that stands there now.
func (s *screen) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.all.String()
	return all[strings.LastIndex(all, "\x1b[K")+len("\x1b[K"):]
}

func TestALineSaysTheMostThatFits(t *testing.T) {
	known := figures{what: "scanning", done: 1_200_000_000, total: 2_600_000_000, rate: 48_000_000,
		took: 25 * time.Second}
	unknown := figures{what: "exporting", done: 3_200_000, rate: 1_100_000, took: 3 * time.Second}
	for _, tt := range []struct {
		name  string
		f     figures
		width int
		want  string
	}{
		{"a wide window", known, 200, "  scanning " + strings.Repeat("━", 18) + strings.Repeat("─", 22) +
			"   46 %  1.2 GB of 2.6 GB  48 MB/s  29 s left"},
		{"80 columns", known, 80, "  scanning " + strings.Repeat("━", 10) + strings.Repeat("─", 13) +
			"   46 %  1.2 GB of 2.6 GB  48 MB/s  29 s left"},
		{"a window that does not tell", known, 0, "  scanning " + strings.Repeat("━", 10) + strings.Repeat("─", 13) +
			"   46 %  1.2 GB of 2.6 GB  48 MB/s  29 s left"},
		{"no room for the bar", known, 62, "  ⋯ scanning   46 %  1.2 GB of 2.6 GB  48 MB/s  29 s left"},
		{"50 columns", known, 50, "  ⋯ scanning   46 %  48 MB/s  29 s left"},
		{"30 columns", known, 30, "  ⋯ scanning"},
		{"ten columns", known, 10, "  ⋯ scann"},
		{"a total that is unknown", unknown, 80, "  ⋯ exporting  3.2 MB  1.1 MB/s  3 s"},
		{"nothing counted", figures{what: "searching", took: 2 * time.Second}, 80, "  ⋯ searching  2 s"},
		{"nothing moves", figures{what: "scanning", done: 1, total: 4}, 36, "  ⋯ scanning   25 %  1 B of 4 B"},
		{"a file that grew", figures{what: "scanning", done: 9, total: 4, rate: 1}, 44,
			"  ⋯ scanning  100 %  9 B of 4 B  1 B/s"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, tt.f.line(tt.width)) })
	}
	for width := 1; width <= 200; width++ {
		assert.Less(t, utf8.RuneCountInString(known.line(width)), width, "%d columns", width)
	}
}

func TestNumbersAreWrittenAsPeopleReadThem(t *testing.T) {
	for n, want := range map[int64]string{0: "0 B", 999: "999 B", 1000: "1.0 kB", 9949: "9.9 kB", 9950: "10 kB",
		999_499: "999 kB", 999_500: "1.0 MB", 5_000_000_000_000: "5.0 TB"} {
		assert.Equal(t, want, size(n))
	}
	for d, want := range map[time.Duration]string{0: "0 s", -time.Second: "0 s", 59 * time.Second: "59 s",
		252 * time.Second: "4:12", 3723 * time.Second: "1:02:03", 200 * time.Hour: "days"} {
		assert.Equal(t, want, clock(d))
	}
}

func TestABarShowsItsRateAndIsGoneAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		b := start(&s, "scanning", 10_000, wide)
		for range 5 {
			time.Sleep(time.Second)
			synctest.Wait()
			_, _ = b.Write(make([]byte, 1000))
		}
		time.Sleep(every)
		synctest.Wait()
		assert.Contains(t, s.last(), "   50 %  5.0 kB of 10 kB  1.0 kB/s  5 s left")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		assert.NotContains(t, s.last(), "left", "nothing has moved for seconds, so nobody knows")
		b.Done()
		assert.Empty(t, s.last(), "the line is gone")
		said := s.all.Len()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, said, s.all.Len(), "and stays so")
	})
}

func TestWhatIsShortIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		b := start(&s, "scanning", 0, wide)
		time.Sleep(quiet - time.Millisecond)
		synctest.Wait()
		b.Done()
		assert.Empty(t, s.all.String(), "not even what erases a line")
	})
}

func TestAWindowThatChangesIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s screen
		var width atomic.Int64
		width.Store(100)
		b := start(&s, "scanning", 100, func() int { return int(width.Load()) })
		time.Sleep(quiet + every/2)
		synctest.Wait()
		assert.Contains(t, s.last(), "──")
		width.Store(12)
		time.Sleep(every)
		synctest.Wait()
		assert.Less(t, utf8.RuneCountInString(s.last()), 12)
		b.Done()
	})
}

func TestOnlyATerminalHasABar(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	for _, out := range []io.Writer{&bytes.Buffer{}, w} {
		b := Start(out, "scanning", 10)
		n, err := b.Write([]byte("abc"))
		require.NoError(t, err)
		assert.Equal(t, 3, n)
		assert.Nil(t, b.stop, "nothing runs")
		b.Done()
	}
	require.NoError(t, w.Close())
	said, err := io.ReadAll(r)
	require.NoError(t, err)
	assert.Empty(t, said)

	master, terminal, err := pty.Open()
	require.NoError(t, err)
	defer master.Close()
	defer terminal.Close()
	t.Setenv("TERM", "xterm")
	b := Start(terminal, "scanning", 10)
	assert.NotNil(t, b.stop)
	b.Done()
	t.Setenv("TERM", "dumb")
	b = Start(terminal, "scanning", 10)
	assert.Nil(t, b.stop, "it could not take the line away")
	b.Done()
}
