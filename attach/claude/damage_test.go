package claude_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
	"candor/attach/claude"
)

// replaced returns the damage of the row that has old.
func replaced(old, replacement string) attachtest.Damage {
	return func(row string) string { return strings.Replace(row, old, replacement, 1) }
}

// damages are the ways in which a row is damaged.
var damages = attachtest.Damages(map[string]attachtest.Damage{
	"deep":                    func(string) string { return strings.Repeat(`{"message":`, 20_000) + "\n" },
	"a huge number":           replaced(`"uuid":`, `"apiBlockIndex":1e999,"uuid":`),
	"a number for an id":      replaced(`"sessionId":"`, `"sessionId":7,"x":"`),
	"no session":              replaced(`"sessionId"`, `"xessionId"`),
	"a list for a message":    replaced(`"message":{`, `"message":[],"x":{`),
	"a number for a content":  replaced(`"content":`, `"content":7,"x":`),
	"an id with escapes":      replaced(`"sessionId":"`, `"sessionId":"\u001b[31m`),
	"a place below the first": replaced(`"uuid":`, `"apiBlockIndex":-1,"uuid":`),
	"a usage of words":        replaced(`"message":{`, `"message":{"usage":"much",`),
})

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
	rows := strings.SplitAfter(strings.TrimSuffix(attachtest.Recorded(t, "session.jsonl"), "\n"), "\n")
	whole, _ := read(t, attachtest.Recorded(t, "session.jsonl"), nil)
	known := attachtest.Facts(t, whole, withoutAnswer)
	variants := 0
	for name, damage := range damages {
		for _, at := range placesOfDamage(rows) {
			t.Run(fmt.Sprintf("%s, row %d", name, at), func(t *testing.T) {
				damaged := slices.Clone(rows)
				damaged[at] = damage(rows[at])
				require.NotEqual(t, rows[at], damaged[at], "no damage")
				list, report := read(t, strings.Join(damaged, ""), nil)
				assert.Equal(t, attachtest.LostTo(name), report.Malformed+report.Torn, "%+v", report)
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
	rows := strings.SplitAfter(attachtest.Recorded(t, "agent-a0000000000000001.jsonl"), "\n")
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
		assert.Equal(t, attachtest.Facts(t, whole, withoutAnswer), attachtest.Facts(t, list, withoutAnswer), name)
	}
}

// FuzzFilesOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzFilesOfStrangers(f *testing.F) {
	for _, name := range []string{"session.jsonl", "fork.jsonl", "agent-a0000000000000001.jsonl"} {
		text := attachtest.Recorded(f, name)
		f.Add([]byte(text[:min(len(text), 6000)]))
	}
	f.Add([]byte(row(said + `[{"type":"tool_use","id":"c","name":"B","input":"<` + strings.Repeat("é", 1000) + `"}]}`)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, report := read(t, string(raw), nil)
		for _, s := range list {
			attachtest.AssertSound(t, s, 128)
		}
		assert.Equal(t, attachtest.FullRows(string(raw)), report.Rows)
	})
}

// BenchmarkRead reads a file of 100 MB, made of the recorded one.
func BenchmarkRead(b *testing.B) {
	text := attachtest.Recorded(b, "session.jsonl")
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
