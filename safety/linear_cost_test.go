package safety

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// fastest is the shortest of a few runs over n bytes of a unit.
func fastest(l *Layer, unit string, n int) time.Duration {
	text := strings.Repeat(unit, n/len(unit)+1)[:n]
	best := time.Hour
	for range 5 {
		start := time.Now()
		l.Mask(text)
		best = min(best, time.Since(start))
	}
	return best
}

// A text sixteen times as long may take some times sixteen as long; were any
// part of cleaning quadratic, it would take 256 times as long.
func TestTheCostOfCleaningIsLinear(t *testing.T) {
	l := NewLayer(MaxBytes(1 << 20))
	for _, unit := range []string{
		"a", "=", "\\", "%41", "&#65;", "eyJ", "eyJ-", ".ey", "Q~", "T3BlbkFJ", "://", "http://a:", "password=",
		"password is ", `token="`, "twitter_key=", "glpat-", "glcbt-", "BSA-", "-----BEGIN ",
		"](http", "data:\n a: b\n", "cookie: a=b; ", "curl -u ", "-us1", "1|a", "QUJD", "é", "ｐ", "\u200b",
	} {
		short, long := fastest(l, unit, 4<<10), fastest(l, unit, 64<<10)
		assert.Less(t, long, 100*short, "%q", unit)
	}
}
