package safety

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// proseText is a model's prose without anything to find.
func proseText() string {
	return strings.Repeat("I will read the file first, because the token count is off. Then the keys of the map "+
		"are compared with it, and the result goes into the report. ", 28)
}

// BenchmarkStreamProse writes prose in pieces of four bytes, as a model speaks. ns/write is the
// cost of one piece, and x-mask that of the whole stream as a multiple of Mask.
func BenchmarkStreamProse(b *testing.B) {
	l, text := plainLayer(), proseText()
	mask := time.Hour
	for range 100 {
		start := time.Now()
		l.Mask(text)
		mask = min(mask, time.Since(start))
	}
	b.ReportAllocs()
	for b.Loop() {
		writeFours(l, text)
	}
	whole := float64(b.Elapsed().Nanoseconds()) / float64(b.N)
	b.ReportMetric(whole/float64((len(text)+3)/4), "ns/write")
	b.ReportMetric(whole/float64(mask.Nanoseconds()), "x-mask")
}

// writeFours writes a text to a stream in pieces of four bytes.
func writeFours(l *Layer, text string) {
	s := l.Stream()
	for i := 0; i < len(text); i += 4 {
		s.Write(text[i:min(i+4, len(text))])
	}
	s.Close()
}

// A search copies the text it reads, so a stream that searches at each piece makes more
// allocations than there are pieces.
func TestAStreamDoesNotSearchAtEveryShortPiece(t *testing.T) {
	l, text := plainLayer(), proseText()
	allocations := testing.AllocsPerRun(5, func() { writeFours(l, text) })
	assert.Less(t, allocations, float64(len(text)/4)/3)
}
