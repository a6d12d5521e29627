package gemini_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
	"candor/attach/gemini"
)

// replaced returns the damage of a row that replaces a part of it.
func replaced(old, replacement string) attachtest.Damage {
	return func(row string) string { return strings.Replace(row, old, replacement, 1) }
}

// damages are the ways in which a row is damaged.
var damages = attachtest.Damages(map[string]attachtest.Damage{
	"deep":               func(string) string { return strings.Repeat(`{"content":[`, 20_000) + "\n" },
	"a number for an id": replaced(`"id":"0`, `"id":7,"x":"`),
	"an id with escapes": replaced(`"id":"0`, `"id":"\u001b[31m`),
	"a long id":          replaced(`"id":"0`, `"id":"`+strings.Repeat("0", 200)),
	"no id and no time": func(row string) string {
		return strings.NewReplacer(`"id":"0`, `"xid":"`, `"timestamp"`, `"x"`).Replace(row)
	},
	"a list for a type":      replaced(`"type":"`, `"type":[],"x":"`),
	"a number for a content": replaced(`"content":`, `"content":7,"x":`),
	"lists in a content":     replaced(`"content":`, `"content":[[[]]],"x":`),
	"a huge number":          replaced(`{"content":`, `{"tokens":{"input":1e999},"content":`),
})

// placesOfDamage are the rows that are damaged: a prompt, an answer, one with its calls, and the last one.
func placesOfDamage(rows []string) []int {
	var prompts, answers []int
	for i, row := range rows {
		switch {
		case strings.HasPrefix(row, `{"$set"`):
		case strings.Contains(row, "PLAN:two"):
			prompts = append(prompts, i)
		case strings.Contains(row, `"type":"gemini"`):
			answers = append(answers, i)
		}
	}
	return []int{prompts[0], answers[1], answers[len(answers)/2], answers[len(answers)-1]}
}

// turns finds what a row may lose without being invented: a turn whose prompt was lost.
var turns = regexp.MustCompile(`"turn":"[^"]*",`)

// TestDamagedFilesLoseOnlyWhatIsCounted damages the recorded file in 72 ways. All that is given stands in the whole
// file, too, in the same turn or in none; and the rows that are lost are counted.
func TestDamagedFilesLoseOnlyWhatIsCounted(t *testing.T) {
	rows := strings.SplitAfter(strings.TrimSuffix(recorded(t), "\n"), "\n")
	whole, _ := read(t, recorded(t))
	known := map[string]bool{}
	for line := range strings.Lines(attachtest.JSON(t, whole)) {
		known[line], known[turns.ReplaceAllString(line, "")] = true, true
	}
	variants := 0
	for name, damage := range damages {
		for _, at := range placesOfDamage(rows) {
			t.Run(fmt.Sprintf("%s, row %d", name, at), func(t *testing.T) {
				damaged := append([]string(nil), rows...)
				damaged[at] = damage(rows[at])
				require.NotEqual(t, rows[at], damaged[at], "no damage")
				list, report := read(t, strings.Join(damaged, ""))
				assert.Equal(t, attachtest.LostTo(name), report.Malformed+report.Torn, "%+v", report)
				for line := range strings.Lines(attachtest.JSON(t, list)) {
					// A turn whose end was lost ends with the next prompt, without an answer.
					if !strings.Contains(line, `"ended":{}`) {
						assert.True(t, strings.Contains(line, `"lost":true`) || known[line], "invented: %s", line)
					}
				}
				assert.GreaterOrEqual(t, len(list), len(whole)-14)
			})
			variants++
		}
	}
	assert.Equal(t, 72, variants)
}

// FuzzFilesOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzFilesOfStrangers(f *testing.F) {
	text := recorded(f)
	f.Add([]byte(text[:min(len(text), 6000)]))
	f.Add([]byte(begin + `{"$set":{"messages":[1,{}],"summary":"x"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, report := read(t, string(raw))
		for _, s := range list {
			assert.NotEmpty(t, s.Session)
			assert.GreaterOrEqual(t, s.Index, 0)
			if s.Called != nil || s.Returned != nil {
				assert.NotEmpty(t, s.Call)
			}
		}
		assert.GreaterOrEqual(t, report.Rows, attachtest.FullRows(string(raw)),
			"a sub-agent's file has rows of its own")
	})
}

// BenchmarkRead reads a file of 100 MB, made of the recorded one.
func BenchmarkRead(b *testing.B) {
	text := recorded(b)
	text = strings.Repeat(text, 100<<20/len(text))
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range gemini.NewReader(nil, false).Read(strings.NewReader(text)) {
			require.NoError(b, err)
		}
	}
}
