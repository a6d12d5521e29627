package claude_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/claude"
	"candor/attach/rows"
)

var update = flag.Bool("update", false, "write the sightings of the recorded files anew")

// The recorded session, which was resumed once, its sub-agents, and the session that was forked of it.
const (
	session    = "11111111-2222-4333-8444-555555555555"
	foreground = "agent-a0000000000000001.jsonl"
	background = "agent-a0000000000000002.jsonl"
)

// read returns the sightings of a file's text, and the report.
func read(t testing.TB, text string, others *claude.Rows) ([]attach.Sighting, rows.Report) {
	t.Helper()
	return attachtest.Read(t, claude.NewReader(others, false), text)
}

// TestRecordedFilesGiveTheirSightings compares the sightings of what the real program wrote with those that were read
// and found right, testdata/*.want.jsonl.
func TestRecordedFilesGiveTheirSightings(t *testing.T) {
	rows := &claude.Rows{}
	for _, name := range []string{"session.jsonl", "fork.jsonl", foreground, background} {
		list, report := read(t, attachtest.Recorded(t, name), rows)
		got := attachtest.JSON(t, list)
		want := strings.TrimSuffix(name, ".jsonl") + ".want"
		if *update {
			require.NoError(t, os.WriteFile(filepath.Join("testdata", want), []byte(got), 0o644))
		}
		assert.Equal(t, attachtest.Recorded(t, want), got, name)
		assert.Zero(t, report.Malformed+report.Torn+report.TooLong+report.Cut)
		assert.Equal(t, strings.Count(attachtest.Recorded(t, name), "\n"), report.Rows)
	}
}

func TestWhatIsNotReadIsCountedByKind(t *testing.T) {
	_, report := read(t, attachtest.Recorded(t, "session.jsonl"), nil)
	assert.Equal(t, 2, report.Skipped["cost-state"])
	assert.Positive(t, report.Skipped["attachment hook_success"])
	assert.Positive(t, report.Skipped["system stop_hook_summary"])
	assert.Equal(t, 1, report.Outside, "one result is longer than the file has it")
	assert.Equal(t, 128, report.Sealed, "two signatures of 64 bytes")
	_, report = read(t, attachtest.Recorded(t, foreground), nil)
	assert.Equal(t, 1, report.Skipped["user task of a sub-agent"])
}

func TestKindsAreBoundedInNumberAndInText(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		text.WriteString(row(fmt.Sprintf(`"type":"%dkind\u001b[31m%s"`, i, strings.Repeat("x", i))))
	}
	_, report := read(t, text.String(), nil)
	assert.LessOrEqual(t, len(report.Skipped), 65)
	sum := 0
	for kind, n := range report.Skipped {
		assert.NotContains(t, kind, "\x1b")
		assert.LessOrEqual(t, len(kind), 48)
		sum += n
	}
	assert.Equal(t, 100, sum)
	var both rows.Report
	for range 2 {
		both.Add(report)
	}
	assert.Equal(t, 200, both.Rows)
	assert.Equal(t, 2*report.Skipped["0kind??31m"], both.Skipped["0kind??31m"])
	assert.Equal(t, 2*report.Skipped["other kinds"], both.Skipped["other kinds"])
	assert.Equal(t, 36, report.Skipped["other kinds"])
}

// row returns a row of a session with the given members.
func row(members string) string { return `{"sessionId":"s",` + members + "}\n" }

func TestAForkGivesOnlyWhatIsNew(t *testing.T) {
	for name, c := range map[string]struct{ first, second string }{
		"the fork is read last":  {"session.jsonl", "fork.jsonl"},
		"the fork is read first": {"fork.jsonl", "session.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			rows, seen := &claude.Rows{}, map[string]string{}
			for _, file := range []string{c.first, c.second} {
				list, report := read(t, attachtest.Recorded(t, file), rows)
				assert.Equal(t, file == "fork.jsonl", report.Copied > 20, "%+v", report)
				for _, s := range list {
					key := s.Call
					if s.Prompted != nil {
						key = s.Prompted.Text
					}
					if s.Called != nil || s.Prompted != nil {
						assert.Empty(t, seen[key], "%s again in %s", key, file)
						seen[key] = file
					}
				}
			}
			assert.Equal(t, "fork.jsonl", seen["toolu_three0a"])
			assert.Equal(t, "fork.jsonl", seen["PLAN:three go"])
			assert.Equal(t, "session.jsonl", seen["PLAN:two go"])
		})
	}
}

// TestAForkWithoutMarksIsSeenByItsRows holds for versions that do not mark copied rows: the session that was
// read first has them.
func TestAForkWithoutMarksIsSeenByItsRows(t *testing.T) {
	rows := &claude.Rows{}
	_, _ = read(t, attachtest.Recorded(t, "session.jsonl"), rows)
	unmarked := strings.ReplaceAll(attachtest.Recorded(t, "fork.jsonl"), `"requestSessionId"`, `"x"`)
	list, report := read(t, unmarked, rows)
	assert.Greater(t, report.Copied, 20)
	assert.NotContains(t, attachtest.JSON(t, list), "toolu_one0a")
	assert.Contains(t, attachtest.JSON(t, list), "toolu_three0a")
}

// TestAGrowingFileIsReadOnWhereItEnded cuts a file at each byte of some rows, and reads the rest afterwards.
func TestAGrowingFileIsReadOnWhereItEnded(t *testing.T) {
	text := attachtest.Recorded(t, foreground)
	whole, _ := read(t, text, nil)
	for at := 0; at < len(text); at += 97 {
		r := claude.NewReader(nil, true)
		var all []attach.Sighting
		for _, end := range []int{at, len(text)} {
			for s, err := range r.Read(strings.NewReader(text[r.Offset():end])) {
				require.NoError(t, err)
				all = append(all, s)
			}
		}
		require.Subset(t, attachtest.Lines(t, all), attachtest.Lines(t, whole), at)
		assert.Zero(t, r.Report().Torn+r.Report().Malformed)
	}
}

func TestATornLastRowIsCountedAndAWholeOneIsRead(t *testing.T) {
	text := attachtest.Recorded(t, foreground)
	_, report := read(t, text[:len(text)-9], nil)
	assert.Equal(t, 1, report.Torn)
	list, report := read(t, strings.TrimSuffix(row(`"type":"user","message":{"content":"Hello"}`), "\n"), nil)
	assert.Zero(t, report.Torn, "only the end of the line is missing")
	require.Len(t, list, 2, "the message, and the end of the turn, behind which nothing comes")
	assert.Equal(t, "Hello", list[0].Prompted.Text)
}

func TestARowThatIsTooLongIsReadOverInBoundedMemory(t *testing.T) {
	hello := row(`"type":"user","message":{"content":"Hello"}`)
	list, report := read(t, hello+strings.Repeat("x", rows.MaxRow+1)+"\n"+hello, nil)
	assert.Len(t, attachtest.Those(list, func(s *attach.Sighting) bool { return s.Prompted != nil }), 2)
	assert.Equal(t, 1, report.TooLong)
	assert.Equal(t, 3, report.Rows)
}

func TestAFileThatCannotBeReadEndsWithItsError(t *testing.T) {
	r := claude.NewReader(nil, false)
	var failed error
	for _, err := range r.Read(iotest.ErrReader(os.ErrPermission)) {
		failed = err
	}
	assert.ErrorIs(t, failed, os.ErrPermission)
}

func TestAReaderOfSightingsMayStop(t *testing.T) {
	r := claude.NewReader(nil, false)
	n := 0
	for range r.Read(strings.NewReader(attachtest.Recorded(t, "session.jsonl"))) {
		if n++; n == 3 {
			break
		}
	}
	assert.Equal(t, 3, r.Report().Sightings)
}
