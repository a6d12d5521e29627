package opencode_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/rows"
)

// damage changes one row so that it is lost.
type damage func(row object)

// inData returns the damage of a row's data by change.
func inData(change func(data string) string) damage {
	return func(row object) {
		raw, err := json.Marshal(row["data"])
		if err != nil {
			panic(err)
		}
		row["data"] = change(string(raw))
	}
}

// member returns the damage of the data by another member, which the decoder sees behind the one that was there.
func member(name, value string) damage {
	return inData(func(data string) string {
		return strings.TrimSuffix(data, "}") + `,"` + name + `":` + value + "}"
	})
}

// damages are the ways in which a row is damaged. Some are what a crash or a full disk leaves, some what another
// version of the program might write, and some what a stranger might, to fill our memory.
var damages = map[string]damage{
	"cut in the middle":     inData(func(data string) string { return data[:len(data)/2] }),
	"without its beginning": inData(func(data string) string { return data[len(data)/3:] }),
	"zeros":                 inData(func(data string) string { return strings.Repeat("\x00", len(data)) }),
	"a zero in it":          inData(func(data string) string { return data[:9] + "\x00" + data[9:] }),
	"twice":                 inData(func(data string) string { return data + data }),
	"a list":                inData(func(data string) string { return "[" + data + "]" }),
	"deep":                  inData(func(string) string { return strings.Repeat(`{"time":`, 20_000) }),
	"empty":                 inData(func(string) string { return "" }),
	"null":                  inData(func(string) string { return "null" }),
	"no data at all":        func(row object) { row["data"] = nil },
	"a blob":                func(row object) { row["data"] = []byte{0xff, 0xfe, 0} },
	"a huge number":         member("time", `{"created":1e999,"start":1e999}`),
	"a list for the times":  member("time", `[]`),
	"a number for a kind":   member("type", `7,"role":7`),
	"too long":              inData(func(string) string { return `"` + strings.Repeat("x", rows.MaxRow) + `"` }),
}

// TestDamagedRowsLoseOnlyWhatIsCounted damages a recorded database in 60 ways: each of 15 in a message of a person, an
// answer, a text and a call. All that is given stands in the whole database, too, and the rows that are lost are
// counted.
func TestDamagedRowsLoseOnlyWhatIsCounted(t *testing.T) {
	whole, _ := read(t, newStore(t, recorded(t)...).path)
	known := map[string]bool{}
	for _, line := range attachtest.Lines(t, whole) {
		known[withoutTurn(line)] = true
	}
	variants := 0
	for name, damage := range damages {
		for place, lost := range places(t) {
			t.Run(fmt.Sprintf("%s, %s", name, place), func(t *testing.T) {
				all := recorded(t)
				damage(all[lost.at])
				list, report := read(t, newStore(t, all...).path)
				assert.Equal(t, lost.rows, report.Malformed+report.TooLong, "%+v", report)
				if name == "too long" {
					assert.Positive(t, report.TooLong)
				}
				for _, line := range attachtest.Lines(t, list) {
					assert.True(t, strings.Contains(line, `"lost":true`) || known[withoutTurn(line)], "invented: %s",
						line)
				}
				assert.LessOrEqual(t, len(list), len(whole))
				assert.GreaterOrEqual(t, len(list), len(whole)-10)
			})
			variants++
		}
	}
	assert.Equal(t, 60, variants)
}

// loss is a row, and how many rows are lost with it.
type loss struct{ at, rows int }

// places returns the rows that are damaged, with how many rows are lost with each: a message takes its parts with it.
// Only rows of the first session are chosen, since the fork has copies, which are lost anyway.
func places(t *testing.T) map[string]loss {
	t.Helper()
	all, found := recorded(t), map[string]loss{}
	for i, row := range all {
		data, _ := row["data"].(object)
		parts := 0
		for _, other := range all {
			if other["message_id"] == row["id"] {
				parts++
			}
		}
		kind := fmt.Sprint(data["role"], data["type"])
		if _, seen := found[kind]; !seen && row["session_id"] == "ses_000000000000000000000001" {
			found[kind] = loss{i, 1 + parts}
		}
	}
	maps.DeleteFunc(found, func(kind string, _ loss) bool {
		return !strings.Contains("user<nil> assistant<nil> <nil>reasoning <nil>tool", kind)
	})
	require.Len(t, found, 4)
	return found
}

// withoutTurn returns a sighting without what depends on other rows: the answer of a turn, and which model was heard of
// first.
func withoutTurn(line string) string {
	var s attach.Sighting
	if json.Unmarshal([]byte(line), &s) != nil {
		return line
	}
	if s.About != nil {
		return "about"
	}
	if s.Ended != nil {
		s.Ended = &attach.Ended{}
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return line
	}
	return string(raw)
}
