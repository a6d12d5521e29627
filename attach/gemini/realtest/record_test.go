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

// TestRecord writes the fixtures of package gemini, with -record ../testdata.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("nothing is recorded without -record")
	}
	p := newPlayer(t)
	p.play(t)
	c := &cleaner{names: map[string]string{p.work: "/home/ann/notes", p.home: "/home/ann"}, count: map[string]int{}}
	main, err := os.ReadFile(p.files(t)[0])
	require.NoError(t, err)
	hooks := append(bytes.Join(p.model.Hooks(), []byte("\n")), '\n')
	subs, err := filepath.Glob(filepath.Join(p.project(t), "chats", "*", "*.jsonl"))
	require.NoError(t, err)
	all := append(bytes.Clone(main), hooks...)
	for _, name := range subs {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		all = append(all, raw...)
	}
	c.sortTimes(all)
	c.write(t, "chats/session.jsonl", main)
	c.write(t, "hooks.jsonl", hooks)
	for _, name := range subs {
		raw, err := os.ReadFile(name)
		require.NoError(t, err)
		session := filepath.Base(filepath.Dir(name))
		c.write(t, filepath.Join("chats", c.clean(session), c.clean(filepath.Base(name))), raw)
	}
	require.NoError(t, os.WriteFile(filepath.Join(*record, ".project_root"), []byte(c.clean(p.work)), 0o644))
}

// cleaner replaces ids, paths and times consistently, and drops all text that the program's makers wrote.
type cleaner struct {
	names map[string]string
	count map[string]int // of ids, by their format
}

var (
	uuids  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	hashes = regexp.MustCompile(`\b[0-9a-f]{32}(?:[0-9a-f]{32})?\b`)
	ticks  = regexp.MustCompile(`\b1[78]\d{11}\b`)
	groups = regexp.MustCompile(`PGID: \d+`)
	times  = regexp.MustCompile(`2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`)
)

// sortTimes gives the times in a text others in the same order.
func (c *cleaner) sortTimes(text []byte) {
	all := times.FindAllString(string(text), -1)
	slices.Sort(all)
	for n, at := range slices.Compact(all) {
		c.names[at] = time.Date(2026, 11, 20, 9, 0, n, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	}
}

// clean replaces what differs from one recording to the next.
func (c *cleaner) clean(text string) string {
	// The longer path first, since one may stand in the other.
	for _, path := range []string{"/home/ann/notes", "/home/ann"} {
		for from, to := range c.names {
			if to == path {
				text = strings.ReplaceAll(text, from, to)
			}
		}
	}
	text = times.ReplaceAllStringFunc(text, func(at string) string { return c.names[at] })
	for _, k := range []struct {
		of     *regexp.Regexp
		format string
	}{{uuids, "00000000-0000-4000-8000-%012d"}, {hashes, "%032d"}, {ticks, "17%011d"}, {groups, "PGID: %d"}} {
		text = k.of.ReplaceAllStringFunc(text, func(id string) string {
			if c.names[id] == "" {
				c.count[k.format]++
				n := c.count[k.format]
				c.names[id] = fmt.Sprintf(k.format, n)
			}
			return c.names[id]
		})
	}
	return text
}

// write writes rows, cleaned.
func (c *cleaner) write(t *testing.T, name string, raw []byte) {
	t.Helper()
	var out bytes.Buffer
	for line := range bytes.Lines(raw) {
		var row object
		require.NoError(t, json.Unmarshal([]byte(c.clean(string(line))), &row))
		out.WriteString(attachtest.Line(t, ours(row)))
	}
	name = filepath.Join(*record, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, out.Bytes(), 0o644))
}

// foreign maps the beginnings of sentences that the program writes to what is recorded in their place.
var foreign = []struct{ begins, becomes string }{
	{"<session_context>", "<session_context>\nA folder.\n</session_context>"},
	{"Directory listing", "notes.txt"},
	{"Subagent ", "It ended.\nResult:\nThey say 8080."},
	{"Successfully modified", "It was written."},
	{"File not found: ", "There is no such file."},
	{"You have stopped", "Go on."},
	{"Could not read file", "There is no such file."},
	{"Output submitted", "Done."},
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
		if v["toolCalls"] == nil && v["status"] != nil {
			delete(v, "description") // of the tool, in the program's words
			delete(v, "displayName")
		}
		for name := range v {
			v[name] = ours(v[name])
		}
	}
	return value
}
