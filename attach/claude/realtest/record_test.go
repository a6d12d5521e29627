//go:build realagents

package realtest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"candor/attach/attachtest"

	"github.com/stretchr/testify/require"
)

var record = flag.String("record", "", "write what the real program writes, cleaned, into this `folder`")

// TestRecord writes the fixtures of package claude, with -record ../testdata.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("nothing is recorded without -record")
	}
	p := newPlayer(t)
	p.play(t)
	c := &cleaner{names: map[string]string{session: session, p.work: "/home/ann/notes"}, count: map[string]int{}}
	for _, name := range p.files(t) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		c.write(t, c.fixture(name), raw)
		if meta, err := os.ReadFile(strings.TrimSuffix(name, ".jsonl") + ".meta.json"); err == nil {
			c.write(t, strings.TrimSuffix(c.fixture(name), ".jsonl")+".meta.json", append(meta, '\n'))
		}
	}
	c.write(t, "hooks.jsonl", append(bytes.Join(p.model.Hooks(), []byte("\n")), '\n'))
}

// cleaner replaces ids, paths and times consistently, and drops all text that the program's makers wrote.
type cleaner struct {
	names map[string]string
	count map[string]int // of ids, by their format
}

// fixture returns the name under which a session file is recorded.
func (c *cleaner) fixture(name string) string {
	switch base := filepath.Base(name); {
	case strings.HasPrefix(base, "agent-"):
		return c.clean(base)
	case strings.HasPrefix(base, session):
		return "session.jsonl"
	}
	return "fork.jsonl"
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	agents = regexp.MustCompile(`\ba[0-9a-f]{16}\b`)
	times  = regexp.MustCompile(`2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// clean replaces what differs from one recording to the next.
func (c *cleaner) clean(text string) string {
	for from, to := range c.names {
		if strings.HasPrefix(from, "/") {
			text = strings.ReplaceAll(text, from, to)
		}
	}
	for _, k := range []struct {
		of     *regexp.Regexp
		format string
	}{{uuids, "00000000-0000-4000-8000-%012d"}, {agents, "a%016d"}, {times, "2006-01-02T15:04:05.000Z"}} {
		text = k.of.ReplaceAllStringFunc(text, func(id string) string {
			if c.names[id] == "" {
				c.count[k.format]++
				n := c.count[k.format]
				c.names[id] = fmt.Sprintf(k.format, n)
				if k.of == times {
					c.names[id] = time.Date(2026, 11, 20, 9, 0, n, 0, time.UTC).Format(k.format)
				}
			}
			return c.names[id]
		})
	}
	return text
}

// kept are the members of rows that are of no kind that is read, of which nothing else is recorded.
var kept = []string{"type", "subtype", "uuid", "parentUuid", "timestamp", "sessionId", "agentId"}

// write writes rows, cleaned.
func (c *cleaner) write(t *testing.T, name string, raw []byte) {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var row object
		require.NoError(t, json.Unmarshal([]byte(c.clean(string(line))), &row))
		if kind := row["type"]; kind != nil && kind != "user" && kind != "assistant" {
			row = trimmed(row)
		}
		for _, member := range []string{"gitBranch", "userType", "entrypoint", "transcript_path",
			"agent_transcript_path",
			"background_tasks", "session_crons"} {
			delete(row, member)
		}
		plain, ok := ours(row).(object)
		require.True(t, ok)
		out.WriteString(attachtest.Line(t, plain))
	}
	require.NoError(t, os.WriteFile(filepath.Join(*record, name), out.Bytes(), 0o644))
}

// trimmed returns what is recorded of a row that is not read.
func trimmed(row object) object {
	short := object{}
	for _, name := range kept {
		if row[name] != nil {
			short[name] = row[name]
		}
	}
	if a, ok := row["attachment"].(object); ok {
		short["attachment"] = object{"type": a["type"]}
	}
	return short
}

// foreign maps the beginnings of sentences that the program writes to what is recorded in their place.
var foreign = []struct{ begins, becomes string }{
	{"Async agent launched", "It works in the background."},
	{"[Subagent hand-back]", "They say 8080."},
	{"Claude requested permissions", "Nobody permitted it."},
	{"Error: Claude requested permissions", "Error: Nobody permitted it."},
	{"The file ", "The file was written."},
	{"<task-notification>", "<task-notification>It ended.</task-notification>"},
	{"<persisted-output>", "<persisted-output>1\n2\n</persisted-output>"},
	{"1\n2\n3\n", "1\n2\n"},
	{"/tmp/", "/home/ann/elsewhere"},
}

// ours returns a decoded value without the sentences of the program.
func ours(value any) any {
	switch v := value.(type) {
	case string:
		for _, f := range foreign {
			if strings.HasPrefix(v, f.begins) {
				return f.becomes
			}
		}
	case []any:
		for i := range v {
			v[i] = ours(v[i])
		}
	case object:
		for name := range v {
			v[name] = ours(v[name])
		}
	}
	return value
}
