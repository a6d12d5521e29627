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
	"slices"
	"strings"
	"testing"
	"time"

	"candor/attach/attachtest"

	"github.com/stretchr/testify/require"
)

var record = flag.String("record", "", "write what the real program writes, cleaned, into this `folder`")

// TestRecord writes the fixtures of package codex, with -record ../testdata.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("nothing is recorded without -record")
	}
	p := newPlayer(t)
	p.play(t)
	c := &cleaner{names: map[string]string{}, times: map[string]bool{}}
	var all [][]byte
	for _, name := range p.files(t) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, raw)
	}
	all = append(all, append(bytes.Join(p.model.Hooks(), []byte("\n")), '\n'))
	c.paths = strings.NewReplacer(p.work, "/home/ann/notes", p.home, "/home/ann/.codex")
	c.learn(bytes.Join(all, nil))
	for i, name := range p.fixtures(t) {
		c.write(t, name, all[i])
	}
	c.write(t, "hooks.jsonl", all[len(all)-1])
}

// fixtures returns the names under which the rollouts are recorded.
func (p *player) fixtures(t *testing.T) (names []string) {
	subs := 0
	for _, name := range p.files(t) {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		first, _, _ := bytes.Cut(raw, []byte("\n"))
		switch {
		case strings.Contains(name, p.session):
			names = append(names, "session.jsonl")
		case bytes.Contains(first, []byte(`"parent_thread_id"`)):
			subs++
			names = append(names, fmt.Sprintf("sub%d.jsonl", subs))
		default:
			names = append(names, "fork.jsonl")
		}
	}
	return names
}

// cleaner replaces ids, paths and times consistently, and drops all text that the program's makers wrote.
type cleaner struct {
	names map[string]string
	times map[string]bool
	paths *strings.Replacer
}

var (
	uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	times = regexp.MustCompile(`2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
	parts = regexp.MustCompile(`Chunk ID: [0-9a-f]+|Wall time: [0-9.]+|session ID \d+`)
)

// learn gives each id and time of the recording another one, in the same order: the program's ids begin with a
// time, which is read.
func (c *cleaner) learn(all []byte) {
	for kind, of := range map[string]*regexp.Regexp{"id": uuids, "time": times} {
		var list []string
		for _, found := range of.FindAll(all, -1) {
			list = append(list, string(found))
		}
		slices.Sort(list)
		for i, name := range slices.Compact(list) {
			if c.names[name] = fmt.Sprintf("%08x-%04x-7000-8000-%012d", 0x01a20000, i, i); kind == "time" {
				c.names[name] = time.Date(2026, 11, 20, 9, 0, 0, i*1e6, time.UTC).Format("2006-01-02T15:04:05.000Z")
			}
		}
	}
}

// clean replaces what differs from one recording to the next.
func (c *cleaner) clean(text string) string {
	text = c.paths.Replace(text)
	for _, of := range []*regexp.Regexp{uuids, times} {
		text = of.ReplaceAllStringFunc(text, func(name string) string { return c.names[name] })
	}
	return parts.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case strings.HasPrefix(s, "Chunk"):
			return "Chunk ID: abc123"
		case strings.HasPrefix(s, "Wall"):
			return "Wall time: 0.0100"
		}
		return "session ID 4242"
	})
}

// dropped are members that hold the program's own text, or differ for no reason that matters.
var dropped = []string{"base_instructions", "instructions", "developer_instructions", "rate_limits", "metadata",
	"internal_chat_message_metadata_passthrough", "runtime_workspace_roots", "transcript_path", "process_id",
	"agent_transcript_path", "turn_token_usage", "thread_token_usage", "context_window", "model_context_window",
	"started_at", "completed_at", "started_at_ms", "completed_at_ms", "duration_ms", "time_to_first_token_ms",
	"thread_settings", "total_token_usage", "state", "collaboration_mode", "permission_profile"}

// write writes rows, cleaned.
func (c *cleaner) write(t *testing.T, name string, raw []byte) {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var row object
		d := json.NewDecoder(strings.NewReader(c.clean(string(line))))
		d.UseNumber()
		require.NoError(t, d.Decode(&row))
		out.WriteString(attachtest.Line(t, ours(row)))
	}
	require.NoError(t, os.WriteFile(filepath.Join(*record, name), out.Bytes(), 0o644))
}

// ours returns a decoded value without the sentences of the program, and with short counts instead of long ones.
func ours(value any) any {
	switch v := value.(type) {
	case string:
		switch at := strings.Index(v, "1\n2\n3\n"); {
		case at >= 0:
			return v[:at] + "1\n2\n"
		case strings.HasPrefix(v, "<") && !strings.HasPrefix(v, "<subagent_notification>"):
			return "A message of the program."
		case strings.Contains(v, "Warning: truncated output"):
			before, _, _ := strings.Cut(v, "Warning")
			return before + "1\n2\n"
		}
	case []any:
		for i := range v {
			v[i] = ours(v[i])
		}
	case object:
		for _, name := range dropped {
			delete(v, name)
		}
		if d, ok := v["duration"].(object); ok {
			d["secs"], d["nanos"] = 0, 5_000_000
		}
		for name := range v {
			v[name] = ours(v[name])
		}
	}
	return value
}
