package rows_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/attach/rows"
)

// decoded returns the rows that Decode finds in a line, in order, with a star where something is lost.
func decoded(line string, last bool) (found []string, r rows.Report) {
	type row struct {
		ID string `json:"id"`
	}
	decode := func(raw []byte) (in row, ok bool) { return in, json.Unmarshal(raw, &in) == nil && in.ID != "" }
	rows.Decode(&r, []byte(line), last, decode, func(in row) { found = append(found, in.ID) },
		func() { found = append(found, "*") })
	return found, r
}

func TestReadingGoesOnBehindDamageWithinALine(t *testing.T) {
	const whole = `{"id":"a","v":[{"x":1},"}{\"id\":\"no\"}"]}`
	for name, c := range map[string]struct{ line, want string }{
		"a row":                        {whole, "a"},
		"two rows":                     {whole + `{"id":"b"}`, "a b"},
		"two rows with a blank":        {whole + "\t" + `{"id":"b"} `, "a b"},
		"half of it in front":          {whole[:12] + whole, "* a"},
		"half of it behind":            {whole + whole[:20], "a *"},
		"damage between two":           {whole + "xx" + `{"id":"b"}`, "a * b"},
		"damage in front":              {"xx" + whole, "* a"},
		"a value of another type":      {`{"id":7}`, "*"},
		"a value that is no object":    {`"text"`, "*"},
		"half a row in a list":         {whole[:15] + whole, "* a"},
		"many beginnings of an object": {strings.Repeat(`{"a":`, 5000), "*"},
		"nothing":                      {"  ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			found, r := decoded(c.line, false)
			assert.Equal(t, c.want, strings.Join(found, " "))
			assert.Equal(t, strings.Count(c.want, "*"), r.Malformed)
			assert.Equal(t, max(len(strings.TrimSpace(c.line)), 1) > 0 && c.want != "", r.Rows > 0)
		})
	}
	found, r := decoded(whole+whole[:9], true)
	assert.Equal(t, []string{"a", "*"}, found)
	assert.Equal(t, 1, r.Torn, "what the end of the file cut off")
}

// TestAnObjectWithinHalfARowIsNoRow holds for what a tool returned, which may look like a row.
func TestAnObjectWithinHalfARowIsNoRow(t *testing.T) {
	for _, line := range []string{`{"v":{"id":"forged"},"w":`, `{"v":[{"id":"forged"}]`,
		`{"v":[{"id":"forged"},{"id":"a"`} {
		found, _ := decoded(line, false)
		assert.Equal(t, []string{"*"}, found, line)
	}
}

func TestMarksAndZerosAreNoPartOfARow(t *testing.T) {
	for line, want := range map[string]string{
		"\ufeff{}\r":            "{}\r",
		"\x00\x00{\"a\":\x001}": `{"a":1}`,
		"\x00\x00":              "\x00\x00",
		"\ufeff":                "",
	} {
		assert.Equal(t, []string{want}, linesOf(t, &rows.Place{}, strings.NewReader(line+"\n")), "%q", line)
	}
}

func TestCallsAreToldApartByTheirPlaces(t *testing.T) {
	var c rows.Calls
	assert.Equal(t, "x", c.Began("x", "1"))
	assert.Equal(t, "x", c.Began("x", "1"), "the same again")
	assert.Equal(t, "call-2", c.Began("x", "2"))
	assert.Equal(t, "call-3", c.Began("", "3"))
	assert.Equal(t, "call-4", c.Began("two words", "4"))
	assert.Equal(t, "call-2", c.Last("x"))
	assert.Equal(t, []string{"x", "call-2", "call-2"}, []string{c.Ended("x"), c.Ended("x"), c.Ended("x")})
	assert.Equal(t, "early", c.Ended("early"), "its call stands behind it")
	assert.Equal(t, "early", c.Began("early", "5"))
	assert.Equal(t, "call-6", c.Began("early", "6"))
	assert.Equal(t, "call-6", c.Ended("early"))
	var none rows.Calls
	assert.Empty(t, none.Ended(""))
}
