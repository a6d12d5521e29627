//go:build realagents

package realtest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"candor/attach/attachtest"

	"github.com/stretchr/testify/require"
)

var record = flag.String("record", "", "write what the real program writes, cleaned, into this `folder`")

// TestRecord writes the fixtures of package opencode, with -record ../testdata.
func TestRecord(t *testing.T) {
	if *record == "" {
		t.Skip("nothing is recorded without -record")
	}
	p := newPlayer(t)
	p.play(t)
	c := &cleaner{work: p.work, names: map[string]string{}, count: map[string]int{}}
	var out bytes.Buffer
	for _, from := range []struct{ table, columns string }{
		{"session", "id, parent_id, directory, title, version, time_created, time_updated"},
		{"message", "id, session_id, time_created, time_updated, data"},
		{"part", "id, message_id, session_id, time_created, time_updated, data"},
	} {
		for _, row := range rowsOf(t, p.database(), from.table, from.columns) {
			out.WriteString(c.line(t, from.table, row) + "\n")
		}
	}
	require.NoError(t, os.WriteFile(filepath.Join(*record, "sessions.jsonl"), out.Bytes(), 0o644))
	out.Reset()
	for _, raw := range p.model.Hooks() {
		var payload any
		require.NoError(t, json.Unmarshal(raw, &payload))
		out.WriteString(c.encode(t, payload) + "\n")
	}
	require.NoError(t, os.WriteFile(filepath.Join(*record, "hooks.jsonl"), out.Bytes(), 0o644))
}

// rowsOf returns the rows of a table, in the order in which they were written.
func rowsOf(t *testing.T, path, table, columns string) (all []object) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	require.NoError(t, err)
	defer db.Close()
	list, err := db.QueryContext(t.Context(), "SELECT "+columns+" FROM "+table+" ORDER BY rowid")
	require.NoError(t, err)
	defer list.Close()
	// The columns have values of several types, each of which JSON knows.
	names := strings.Split(columns, ", ")
	for list.Next() {
		values := make([]any, len(names))
		to := make([]any, len(names))
		for i := range values {
			to[i] = &values[i]
		}
		require.NoError(t, list.Scan(to...))
		row := object{}
		for i, name := range names {
			row[name] = values[i]
		}
		all = append(all, row)
	}
	require.NoError(t, list.Err())
	return all
}

// cleaner replaces ids, paths and times consistently, and drops all text that the program's makers wrote.
type cleaner struct {
	work  string
	names map[string]string
	count map[string]int // of ids, by their kind
}

var (
	ids   = regexp.MustCompile(`\b(ses|msg|prt|evt)_[0-9A-Za-z]{20,}`)
	times = regexp.MustCompile(`^1[78]\d{11}$`)
)

// line returns a row of a table as JSON.
func (c *cleaner) line(t *testing.T, table string, row object) string {
	t.Helper()
	if text, ok := row["data"].(string); ok {
		var data object
		require.NoError(t, json.Unmarshal([]byte(text), &data))
		row["data"] = data
	}
	row["table"] = table
	return c.encode(t, row)
}

// encode returns a value as JSON, cleaned.
func (c *cleaner) encode(t *testing.T, value any) string {
	t.Helper()
	raw, err := json.Marshal(value)
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var plain any
	require.NoError(t, d.Decode(&plain))
	return strings.TrimSpace(attachtest.Line(t, c.ours(plain)))
}

// dropped are members that nothing of ours reads.
var dropped = []string{"permission", "slug", "projectID", "path", "loaded", "display", "preview", "filediff", "mode",
	"diagnostics", "cost", "title"}

// ours returns a decoded value without what the program's makers wrote.
func (c *cleaner) ours(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil && times.MatchString(v.String()) {
			return c.time(n)
		}
	case string:
		return c.text(v)
	case []any:
		for i := range v {
			v[i] = c.ours(v[i])
		}
	case object:
		isSession := v["version"] != nil
		for _, name := range dropped {
			if name != "title" || !isSession {
				delete(v, name)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			v[name] = c.ours(v[name])
		}
	}
	return value
}

// time returns a time of the recording as one of a day of ours. Differences stay, since the order of times tells
// copies.
func (c *cleaner) time(n int64) int64 {
	if c.count["time"] == 0 {
		c.count["time"] = int(n)
	}
	return n - int64(c.count["time"]) + 1_795_165_200_000
}

// foreign maps the beginnings of texts that the program writes to what is recorded in their place.
var foreign = []struct{ begins, becomes string }{
	{"File not found", "There is no such file."},
	{"Model tried to call", "There is no such tool."},
	{"The arguments provided", "There is no such tool."},
	{"The user has specified a rule which prevents", "The user has specified a rule which prevents it."},
	{"...output truncated", "19999\n20000\n"},
	{"<path>", "port: 8080\n"},
	{"<task ", "They say 8080."},
	{"Edit applied", "Edited."},
	{"Index: ", "-port: 8080\n+port: 9090\n"},
	{"New session", "New"},
}

// text returns a text of the recording without what differs from one to the next.
func (c *cleaner) text(s string) string {
	for _, f := range foreign {
		if strings.HasPrefix(s, f.begins) {
			return f.becomes
		}
	}
	if len(s) > 2000 { // the output that does not fit
		return "19999\n20000\n"
	}
	s = strings.ReplaceAll(s, strings.TrimPrefix(c.work, "/"), "home/ann/notes")
	return ids.ReplaceAllStringFunc(s, func(id string) string {
		if c.names[id] == "" {
			kind, _, _ := strings.Cut(id, "_")
			c.count[kind]++
			c.names[id] = fmt.Sprintf("%s_%024d", kind, c.count[kind])
		}
		return c.names[id]
	})
}
