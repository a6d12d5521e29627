package rows_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/rows"
)

// linesOf returns what Each gives of a text; a line that was too long is "(too long)", and one without an end ends so.
func linesOf(t *testing.T, p *rows.Place, in io.Reader) (list []string) {
	t.Helper()
	ended, err := p.Each(in, func(line []byte, last bool) bool {
		text := string(line)
		if line == nil {
			text = "(too long)"
		}
		if last {
			text += "(no end)"
		}
		list = append(list, text)
		return true
	})
	require.NoError(t, err)
	assert.True(t, ended)
	return list
}

func TestLinesAreReadAsTheyStand(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"nothing":              {"", nil},
		"two lines":            {"a\nb\n", []string{"a", "b"}},
		"an empty line":        {"a\n\nb\n", []string{"a", "", "b"}},
		"no end":               {"a\nb", []string{"a", "b(no end)"}},
		"longer than a buffer": {strings.Repeat("x", 70_000) + "\n", []string{strings.Repeat("x", 70_000)}},
		"too long":             {strings.Repeat("x", rows.MaxRow+1) + "\nb\n", []string{"(too long)", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := &rows.Place{}
			assert.Equal(t, c.want, linesOf(t, p, strings.NewReader(c.text)))
			assert.EqualValues(t, len(c.text), p.Offset)
		})
	}
}

func TestAGrowingFileIsReadOnWhereItsLastWholeRowEnded(t *testing.T) {
	p := &rows.Place{Growing: true}
	assert.Equal(t, []string{"a"}, linesOf(t, p, strings.NewReader("a\nb")))
	assert.EqualValues(t, 2, p.Offset)
	assert.Equal(t, []string{"bc"}, linesOf(t, p, strings.NewReader("bc\n")))
}

func TestReadingEndsWhenNobodyWantsMore(t *testing.T) {
	p := &rows.Place{}
	ended, err := p.Each(strings.NewReader("a\nb\n"), func([]byte, bool) bool { return false })
	require.NoError(t, err)
	assert.False(t, ended)
	assert.EqualValues(t, 2, p.Offset, "what was given was read")
	broken := errors.New("the disk is gone")
	ended, err = p.Each(iotest.ErrReader(broken), func([]byte, bool) bool { return true })
	assert.False(t, ended)
	require.ErrorIs(t, err, broken)
}

func TestLongTextsAreCutBetweenCharacters(t *testing.T) {
	text, cut := rows.Shorten("short \xff")
	assert.False(t, cut)
	assert.Equal(t, "short \uFFFD", text)
	text, cut = rows.Shorten(strings.Repeat("€", rows.MaxText))
	assert.True(t, cut)
	assert.LessOrEqual(t, len(text), rows.MaxText)
	assert.True(t, utf8.ValidString(text))
	assert.NotContains(t, text, "\uFFFD")
}

func TestLongValuesKeepTheirShape(t *testing.T) {
	value, cut := rows.BoundJSON(json.RawMessage(` {"a":1.50,"original":"x"} `), "original")
	assert.False(t, cut)
	assert.Equal(t, `{"a":1.50}`, string(value))
	value, cut = rows.BoundJSON(json.RawMessage(`"original"`), "original")
	assert.False(t, cut)
	assert.Equal(t, `"original"`, string(value), "a value that is no object has no members")

	long := json.RawMessage(fmt.Sprintf(`{"n":12345678901234567890,"list":[%q]}`, strings.Repeat("x", 2*rows.MaxText)))
	value, cut = rows.BoundJSON(long, "")
	assert.True(t, cut)
	assert.LessOrEqual(t, len(value), rows.MaxText)
	assert.Contains(t, string(value), `"n":12345678901234567890`)
	assert.Contains(t, string(value), "…")

	many := json.RawMessage("[" + strings.Repeat("1,", rows.MaxText) + "1]")
	value, cut = rows.BoundJSON(many, "")
	assert.True(t, cut)
	assert.Equal(t, `"[1,1,`, string(value[:6]), "of many small values the beginning is left, as a string")
	assert.LessOrEqual(t, len(value), rows.MaxText)
}

func TestOnlyIdsOfProgramsAreBelieved(t *testing.T) {
	assert.True(t, rows.IsID("toolu_01"))
	for _, bad := range []string{"", "a b", "a\x1b[31m", "é", strings.Repeat("x", 129)} {
		assert.False(t, rows.IsID(bad), "%q", bad)
	}
	assert.True(t, rows.OptionalID(""))
}

func TestTimesThatNoProgramWritesAreNone(t *testing.T) {
	assert.Equal(t, "2026-11-23T09:00:00Z", rows.Time("2026-11-23T10:00:00+01:00").Format("2006-01-02T15:04:05Z07:00"))
	for _, bad := range []string{"", "yesterday", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00",
		"2000-01-01T00:00:00+01:00"} {
		assert.True(t, rows.Time(bad).IsZero(), bad)
	}
}

func TestKindsAreBoundedInNumberAndInText(t *testing.T) {
	var r rows.Report
	for i := range 100 {
		r.Skip(fmt.Sprintf("%dkind\x1b[31m", i))
	}
	assert.LessOrEqual(t, len(r.Skipped), 65)
	assert.Equal(t, 36, r.Skipped["other kinds"])
	assert.Equal(t, 1, r.Skipped["0kind??31m"])
	assert.Len(t, rows.PlainKind(strings.Repeat("x", 100)), 48)
}

func TestReportsAddUpAndShareNothing(t *testing.T) {
	one := rows.Report{Rows: 1, Sightings: 2, Copied: 3, Malformed: 4, TooLong: 5, Torn: 1, Cut: 6, Outside: 7,
		Sealed: 8}
	one.Skip("kind")
	sum := one.Clone()
	sum.Add(one)
	want := rows.Report{Rows: 2, Sightings: 4, Copied: 6, Malformed: 8, TooLong: 10, Torn: 2, Cut: 12, Outside: 14,
		Sealed: 16, Skipped: map[string]int{"kind": 2}}
	assert.Equal(t, want, sum)
	assert.Equal(t, 1, one.Skipped["kind"])
}
