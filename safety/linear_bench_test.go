package safety

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// BenchmarkCostPerByte reports how much more a byte of 64 KB costs than a byte of 4 KB, for texts
// that repeat one unit: x-per-byte is about 1 where the cost is linear, and 16 where a part of
// cleaning is quadratic. It is a benchmark because a test would fail on a busy machine.
func BenchmarkCostPerByte(b *testing.B) {
	const short, long = 4 << 10, 64 << 10
	l := NewLayer(MaxBytes(1 << 20))
	for _, unit := range []string{
		"a", "=", "\\", "%41", "&#65;", "eyJ", "eyJ-", ".ey", "Q~", "T3BlbkFJ", "://", "http://a:", "password=",
		"password is ", `token="`, "twitter_key=", "glpat-", "glcbt-", "BSA-", "-----BEGIN ",
		"](http", "data:\n a: b\n", "cookie: a=b; ", "curl -u ", "-us1", "1|a", "QUJD", "é", "ｐ", "\u200b",
	} {
		b.Run(fmt.Sprintf("%q", unit), func(b *testing.B) {
			best := shortestMask(l, unit, short)
			text := repeated(unit, long)
			least := time.Hour
			for b.Loop() {
				start := time.Now()
				l.Mask(text)
				least = min(least, time.Since(start))
			}
			b.ReportMetric(float64(least)/float64(best)*short/long, "x-per-byte")
		})
	}
}

// shortestMask returns the shortest of a few runs over n bytes of a unit.
func shortestMask(l *Layer, unit string, n int) time.Duration {
	text := repeated(unit, n)
	best := time.Hour
	for range 20 {
		start := time.Now()
		l.Mask(text)
		best = min(best, time.Since(start))
	}
	return best
}

func repeated(unit string, n int) string { return strings.Repeat(unit, n/len(unit)+1)[:n] }
