package codex_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/attachtest"
	"candor/attach/codex"
)

// damages are the ways in which a row is damaged.
var damages = attachtest.Damages(map[string]attachtest.Damage{
	"deep":                 func(string) string { return strings.Repeat(`{"payload":`, 20_000) + "\n" },
	"no type":              replaced(`,"type":"`, `,"xtype":"`),
	"a number for a type":  replaced(`,"type":"response_item"`, `,"type":7`),
	"no payload":           replaced(`"payload":{`, `"xpayload":{`),
	"a list for a payload": replaced(`"payload":{`, `"payload":[],"x":{`),
	"a text for a payload": replaced(`"payload":{`, `"payload":"x","x":{`),
	"an item's wrong id":   replaced(`},"timestamp"`, `,"id":"\u001b[31m","turn_id":"\u001b[31m"},"timestamp"`),
	"a number for a call":  replaced(`},"timestamp"`, `,"call_id":7,"turn_id":7},"timestamp"`),
	"a number for a name":  replaced(`},"timestamp"`, `,"name":7,"item":7},"timestamp"`),
})

// replaced returns the damage that replaces the last old.
func replaced(old, replacement string) attachtest.Damage {
	return func(row string) string {
		at := strings.LastIndex(row, old)
		if at < 0 {
			at, old = strings.LastIndex(row, `,"type":"`), `,"type":"event_msg"`
		}
		return row[:at] + replacement + row[at+len(old):]
	}
}

// placesOfDamage are the rows that are damaged: a call, a result, what a command came to, and an answer.
func placesOfDamage(rows []string) (places []int) {
	for _, of := range []string{`"call_id":"call_one0b","id":"fc_`, `"id":"call_one1a","parsed_cmd"`,
		`"call_id":"call_one2a","id":"fco_`, `"id":"msg_resp_one04","role"`} {
		for i, row := range rows {
			if strings.Contains(row, of) {
				places = append(places, i)
			}
		}
	}
	return places
}

// TestDamagedFilesLoseOnlyWhatIsCounted damages a recorded file in 72 ways. All that is given stands in the whole file
// too, and the rows that are lost are counted.
func TestDamagedFilesLoseOnlyWhatIsCounted(t *testing.T) {
	rows := strings.SplitAfter(strings.TrimSuffix(attachtest.Recorded(t, "session.jsonl"), "\n"), "\n")
	whole, _ := read(t, attachtest.Recorded(t, "session.jsonl"))
	known := attachtest.Facts(t, whole, withoutPlace)
	variants := 0
	for name, damage := range damages {
		for _, at := range placesOfDamage(rows) {
			t.Run(fmt.Sprintf("%s, row %d", name, at), func(t *testing.T) {
				changed := append([]string(nil), rows...)
				changed[at] = damage(rows[at])
				require.NotEqual(t, rows[at], changed[at], "no damage")
				list, report := read(t, strings.Join(changed, ""))
				assert.Equal(t, attachtest.LostTo(name), report.Malformed, "%+v", report)
				for line := range strings.Lines(attachtest.JSON(t, list)) {
					// The result of a failed command is told twice, by an event and to the model.
					assert.True(t, strings.Contains(line, `"lost":true`) || known[withoutPlace(line)], "invented: %s",
						line)
				}
				assert.GreaterOrEqual(t, len(list), len(whole)-2)
			})
			variants++
		}
	}
	assert.Equal(t, 72, variants)
}

// withoutPlace returns a sighting without what depends on the rows around it: its place in the answer, the time, how
// long a call took, and what only an event tells of a sub-agent.
func withoutPlace(line string) string {
	for _, member := range []string{`"index":`, `"at":`} {
		if before, rest, ok := strings.Cut(line, member); ok {
			_, after, _ := strings.Cut(rest, `,`)
			line = before + after
		}
	}
	line, _, _ = strings.Cut(line, `,"took":`)
	return strings.TrimRight(line, "}\n")
}

// TestRowsThatAreRepeatedGiveTheSameFacts reads a file that was written twice into itself.
func TestRowsThatAreRepeatedGiveTheSameFacts(t *testing.T) {
	rows := strings.SplitAfter(attachtest.Recorded(t, "session.jsonl"), "\n")
	whole, _ := read(t, strings.Join(rows, ""))
	for name, text := range map[string]string{
		"with empty lines": strings.Join(rows, "\n\r\n"),
		"twice":            strings.Join(rows, "") + strings.Join(rows, "")} {
		list, report := read(t, text)
		assert.Zero(t, report.Malformed, name)
		assert.Equal(t, attachtest.Facts(t, whole, withoutPlace), attachtest.Facts(t, list, withoutPlace), name)
	}
}

// TestARolloutWithoutItsFirstRowGivesNothing holds that rows of which nobody knows the session are lost and counted,
// and that the ends of files are counted as what they are.
func TestARolloutWithoutItsFirstRowGivesNothing(t *testing.T) {
	_, rest, _ := strings.Cut(attachtest.Recorded(t, "session.jsonl"), "\n")
	list, report := read(t, rest)
	assert.Empty(t, list)
	assert.Equal(t, report.Rows, report.Malformed, "nobody knows whose they are")
	_, report = read(t, attachtest.Recorded(t, "session.jsonl")+`{"type":"event_msg","pay`)
	assert.Equal(t, 1, report.Torn)
	_, report = read(t, begun+strings.Repeat("x", 17<<20)+"\n")
	assert.Equal(t, 1, report.TooLong)
}

// FuzzRolloutsOfStrangers holds what every file has to keep to, and that each row is counted.
func FuzzRolloutsOfStrangers(f *testing.F) {
	for _, name := range rollouts {
		f.Add([]byte(attachtest.Recorded(f, name)))
	}
	f.Add([]byte(turned + ran("c")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		list, report := read(t, string(raw))
		for _, s := range list {
			attachtest.AssertSound(t, s, 256)
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
		for _, err := range codex.NewReader(false).Read(strings.NewReader(text)) {
			require.NoError(b, err)
		}
	}
}
