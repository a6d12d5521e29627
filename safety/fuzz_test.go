package safety

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func FuzzClean(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	l := NewLayer(MaxBytes(1000))
	f.Fuzz(func(t *testing.T, s string) {
		once, report := l.Mask(s)
		twice, again := l.Mask(once.s)
		require.True(t, once == twice, "cleaning twice changes the text")
		require.Equal(t, Passed, again.Verdict, "a cleaned text still holds a secret")
		require.True(t, utf8.ValidString(once.s))
		require.LessOrEqual(t, len(once.s), 1000)
		if cleaned, r := l.Clean(s); r.Verdict != Blocked {
			require.True(t, once == cleaned)
			require.Equal(t, report, r)
		}
	})
}

func FuzzCleanJSON(f *testing.F) {
	for k, s := range seeds() {
		if WithRaceDetector && k%4 > 0 {
			continue // slow with the race detector; all run without
		}
		f.Add([]byte(s))
		quoted, _ := json.Marshal(map[string]any{"note": s, s: []any{1.5, true, nil, s}, "password": s})
		f.Add(quoted)
	}
	l := NewLayer(MaxBytes(10_000))
	f.Fuzz(func(t *testing.T, raw []byte) {
		once, _ := l.CleanJSON(raw)
		require.True(t, json.Valid(once.Raw()))
		require.LessOrEqual(t, len(once.Raw()), 10_000+closing)
		twice, _ := l.CleanJSON(once.Raw())
		require.True(t, string(once.Raw()) == string(twice.Raw()), "cleaning twice changes the value")
	})
}
