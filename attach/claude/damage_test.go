package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
	"candor/attach/claude"
)

// damage is a way to damage a file; it returns the file, and how many of its rows are then lost.
type damage func(rows []string, at int) (text string, lost int)

// inRow returns the damage of one row by change, after which it cannot be read.
func inRow(change func(row string) string) damage {
	return func(rows []string, at int) (string, int) {
		rows = append([]string(nil), rows...)
		rows[at] = change(rows[at])
		return strings.Join(rows, ""), 1
	}
}

// without is inRow for a change after which the row can be read.
func without(change func(row string) string) damage {
	return func(rows []string, at int) (string, int) {
		text, _ := inRow(change)(rows, at)
		return text, 0
	}
}

// replaced returns the damage of the row that has old. It fails the test where there is none.
func replaced(old, replacement string) damage {
	return inRow(func(row string) string {
		return strings.Replace(row, old, replacement, 1)
	})
}

// damages are the ways in which a row, or the file around it, is damaged.
var damages = map[string]damage{
	"cut in the middle":     inRow(func(row string) string { return row[:len(row)/2] + "\n" }),
	"without its beginning": inRow(func(row string) string { return row[len(row)/3:] }),
	"zeros":                 inRow(func(row string) string { return strings.Repeat("\x00", len(row)-1) + "\n" }),
	"a zero in it":          without(func(row string) string { return row[:20] + "\x00" + row[20:] }),
	"a mark in front": without(func(row string) string {
		return "\ufeff" + strings.TrimSuffix(row, "\n") +
			"\r\n"
	}),
	"the row twice":       without(func(row string) string { return strings.TrimSuffix(row, "\n") + row }),
	"half of it, and all": inRow(func(row string) string { return row[:len(row)/2] + row }),
	"all, and half of it": inRow(func(row string) string {
		return strings.TrimSuffix(row, "\n") +
			row[:len(row)/2] + "\n"
	}),
	"a list":                  inRow(func(row string) string { return "[" + strings.TrimSuffix(row, "\n") + "]\n" }),
	"deep":                    inRow(func(string) string { return strings.Repeat(`{"message":`, 20_000) + "\n" }),
	"a huge number":           replaced(`"uuid":`, `"apiBlockIndex":1e999,"uuid":`),
	"a number for an id":      replaced(`"sessionId":"`, `"sessionId":7,"x":"`),
	"no session":              replaced(`"sessionId"`, `"xessionId"`),
	"a list for a message":    replaced(`"message":{`, `"message":[],"x":{`),
	"a number for a content":  replaced(`"content":`, `"content":7,"x":`),
	"an id with escapes":      replaced(`"sessionId":"`, `"sessionId":"\u001b[31m`),
	"a place below the first": replaced(`"uuid":`, `"apiBlockIndex":-1,"uuid":`),
	"a usage of words":        replaced(`"message":{`, `"message":{"usage":"much",`),
}

// placesOfDamage are the rows that are damaged: some of the model's and some of the results.
func placesOfDamage(rows []string) (places []int) {
	for i, row := range rows {
		if strings.Contains(row, `"type":"assistant"`) || strings.Contains(row, `"type":"user"`) {
			places = append(places, i)
		}
	}
	return []int{places[1], places[3], places[len(places)/2], places[len(places)-2]}
}

// TestDamagedFilesLoseOnlyWhatIsCounted damages a recorded file in 72 ways. All that is given stands in the whole file
// too, and the rows that are lost are counted.
func TestDamagedFilesLoseOnlyWhatIsCounted(t *testing.T) {
	rows := strings.SplitAfter(strings.TrimSuffix(recorded(t, "session.jsonl"), "\n"), "\n")
	whole, _ := read(t, recorded(t, "session.jsonl"), nil)
	known := map[string]bool{}
	for line := range strings.Lines(attachtest.JSON(t, whole)) {
		known[withoutAnswer(line)] = true
	}
	variants := 0
	for name, damage := range damages {
		for _, at := range placesOfDamage(rows) {
			t.Run(fmt.Sprintf("%s, row %d", name, at), func(t *testing.T) {
				text, lost := damage(rows, at)
				require.NotEqual(t, strings.Join(rows, ""), text, "no damage")
				list, report := read(t, text, nil)
				assert.Equal(t, lost, report.Malformed+report.Torn, "%+v", report)
				for line := range strings.Lines(attachtest.JSON(t, list)) {
					assert.True(t, strings.Contains(line, `"lost":true`) || known[withoutAnswer(line)],
						"invented: %s", line)
				}
				assert.GreaterOrEqual(t, len(list), len(whole)-6)
			})
			variants++
		}
	}
	assert.Equal(t, 72, variants)
}

// withoutAnswer returns a sighting without what depends on the rows around it: the turn, which a lost prompt does not
// begin, and what is said of the session where it is said first.
func withoutAnswer(line string) string {
	for _, member := range []string{`"turn":"`, `"at":"`} {
		if before, rest, ok := strings.Cut(line, member); ok {
			_, after, _ := strings.Cut(rest, `",`)
			line = before + after
		}
	}
	if strings.Contains(line, `"about"`) {
		return "about"
	}
	return line
}

func TestRowsOutOfOrderOrRepeatedGiveTheSameFacts(t *testing.T) {
	rows := strings.SplitAfter(recorded(t, "agent-a0000000000000001.jsonl"), "\n")
	whole, _ := read(t, strings.Join(rows, ""), nil)
	var backwards []string
	for _, row := range rows {
		backwards = append([]string{row}, backwards...)
	}
	for name, text := range map[string]string{
		"backwards": strings.Join(backwards, ""), "twice": strings.Join(rows, "") + strings.Join(rows, ""),
		"with empty lines": strings.Join(rows, "\n\r\n"),
	} {
		list, report := read(t, text, nil)
		assert.Zero(t, report.Malformed, name)
		want, got := map[string]bool{}, map[string]bool{}
		for line := range strings.Lines(attachtest.JSON(t, whole)) {
			want[withoutAnswer(line)] = true
		}
		for line := range strings.Lines(attachtest.JSON(t, list)) {
			got[withoutAnswer(line)] = true
		}
		assert.Equal(t, want, got, name)
	}
}

// FuzzFilesOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzFilesOfStrangers(f *testing.F) {
	for _, name := range []string{"session.jsonl", "fork.jsonl", "agent-a0000000000000001.jsonl"} {
		text := recorded(f, name)
		f.Add([]byte(text[:min(len(text), 6000)]))
	}
	f.Add([]byte(row(said + `[{"type":"tool_use","id":"c","name":"B","input":"<` + strings.Repeat("é", 1000) + `"}]}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, report := read(t, string(raw), nil)
		for _, s := range list {
			attachtest.AssertSound(t, s, 128)
		}
		full := 0
		for line := range strings.Lines(string(raw)) {
			if strings.TrimSpace(line) != "" {
				full++
			}
		}
		assert.Equal(t, full, report.Rows)
	})
}

// BenchmarkRead reads a file of 100 MB, made of the recorded one.
func BenchmarkRead(b *testing.B) {
	text := recorded(b, "session.jsonl")
	text = strings.Repeat(text, 100<<20/len(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range claude.NewReader(nil, false).Read(strings.NewReader(text)) {
			require.NoError(b, err)
		}
	}
}

// TestAPromptThatIsTooLongIsATurnAllTheSame has a row that is lost before the answer, whose rows do not name the turn.
func TestAPromptThatIsTooLongIsATurnAllTheSame(t *testing.T) {
	long := `{"parentUuid":null,"promptId":"p2","type":"user","message":{"content":"` + strings.Repeat("x", 17<<20) +
		`"},"sessionId":"s"}` + "\n"
	before := row(`"type":"user","promptId":"p1","message":{"content":"first"}`)
	for _, answered := range []string{"", row(`"type":"assistant","message":{"id":"m1","content":[]}`)} {
		list, report := read(t, before+answered+long+
			row(`"type":"assistant","message":{"id":"m2","content":[{"type":"tool_use","id":"c","name":"Bash",`+
				`"input":{}}]}`)+
			row(`"type":"user","promptId":"p2","message":{"content":[{"type":"tool_result","tool_use_id":"c",`+
				`"content":"ok"}]}`), nil)
		assert.Equal(t, 1, report.TooLong)
		assert.Zero(t, report.Malformed)
		turns := map[string]int{}
		for _, s := range list {
			if s.Call != "" {
				turns[s.Turn]++
			}
		}
		assert.Equal(t, map[string]int{"p2": 2}, turns, "the call and its result")
	}
}
