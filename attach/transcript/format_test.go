package transcript_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTheFolderOfGeminiCLIIsReadWithItsSubAgents holds that a session is read with the files of its sub-agents, in its
// turn, once; and that nothing else of the folder is taken for a session of somebody.
func TestTheFolderOfGeminiCLIIsReadWithItsSubAgents(t *testing.T) {
	dir := t.TempDir()
	const chats = "tmp/notes/chats/"
	write(t, dir, chats+"s1/sub1.jsonl", `{"sessionId":"sub1","projectHash":"h","kind":"subagent"}
{"id":"b","type":"gemini","content":"I look."}
`)
	write(t, dir, "tmp/notes/.project_root", "/home/ann/notes")
	write(t, dir, "tmp/notes/logs.json", "[]")
	session := write(t, dir, chats+"session-2026-11-20T09-00-s1.jsonl", `{"sessionId":"s1","projectHash":"h"}
{"id":"p","type":"user","content":"first"}
{"id":"a","type":"gemini","toolCalls":[{"id":"c","name":"invoke_agent","status":"success","agentId":"sub1"}]}
`)
	for name, place := range map[string]string{
		"the program's own folder": dir, "a project": filepath.Join(dir, "tmp", "notes"), "a session": session,
	} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			w := k.walk(place)
			require.NoError(t, w.Once(t.Context()))
			assert.Equal(t, []string{"first"}, k.prompts())
			said := 0
			for _, s := range k.list {
				assert.Equal(t, "s1", s.Session)
				if s.Said != nil {
					said++
					assert.Equal(t, "p", s.Turn)
					assert.Equal(t, "sub1", s.Sub)
				}
			}
			assert.Equal(t, 1, said)
			assert.Zero(t, w.Report().Malformed)
			assert.Empty(t, k.told)
		})
	}
}

// oldSession is a session as versions before the files of rows wrote it.
const oldSession = `{
  "sessionId": "s0",
  "projectHash": "h",
  "startTime": "2025-11-20T09:00:00.000Z",
  "messages": [
    {"id": "p", "timestamp": "2025-11-20T09:00:01.000Z", "type": "user", "content": "Which port is it?"},
    {
      "id": "a",
      "type": "gemini",
      "content": "I look at the notes.",
      "thoughts": [{"subject": "Ports", "description": "They are in the notes."}],
      "toolCalls": [{"id": "c", "name": "read_file", "args": {"path": "notes"}, "status": "success"}]
    },
    {"id": "b", "type": "gemini", "content": "It is 8080."}
  ],
  "summary": "The port"
}`

// TestAnOldSessionOfGeminiCLIIsRead has the file of one object, in its folder, named, and beside the file of rows that
// a newer version has moved it to.
func TestAnOldSessionOfGeminiCLIIsRead(t *testing.T) {
	dir := t.TempDir()
	inFolder := write(t, dir, "tmp/notes/chats/session-2025-11-20T09-00-s0.json", oldSession)
	write(t, dir, "tmp/notes/logs.json", "[]")
	named := write(t, dir, "kept.json", oldSession)
	for name, place := range map[string]string{"its folder": dir, "its path": inFolder, "another name": named} {
		t.Run(name, func(t *testing.T) {
			k := &taker{t: t}
			w := k.walk(place)
			require.NoError(t, w.Once(t.Context()))
			assert.Equal(t, []string{"Which port is it?"}, k.prompts())
			var got []string
			for _, s := range k.list {
				assert.Equal(t, "s0", s.Session)
				switch {
				case s.About != nil && s.About.Title != "":
					got = append(got, "title "+s.About.Title)
				case s.Said != nil:
					got = append(got, "said "+s.Group)
				case s.Called != nil:
					got = append(got, "called "+s.Called.Tool)
				case s.Ended != nil:
					got = append(got, "ended "+s.Ended.Answer)
				}
			}
			assert.Subset(t, got, []string{"title The port", "called read_file", "ended It is 8080."})
			assert.Equal(t, 1, w.Report().Files)
			assert.Zero(t, w.Report().Malformed)
			assert.Empty(t, k.told)
		})
	}
	rows := write(t, dir, "tmp/notes/chats/session-2025-11-20T09-00-s0.jsonl", `{"sessionId":"s0","projectHash":"h"}
{"id":"p","type":"user","content":"Which port is it now?"}
`)
	k := &taker{t: t}
	require.NoError(t, k.walk(dir).Once(t.Context()))
	assert.Equal(t, []string{"Which port is it now?"}, k.prompts())
	require.NoError(t, os.Remove(rows))
	require.NoError(t, os.WriteFile(inFolder, []byte(oldSession[:300]), 0o600))
	k = &taker{t: t}
	w := k.walk(dir)
	require.NoError(t, w.Once(t.Context()))
	assert.Equal(t, 1, w.Report().Malformed, "a file that is cut off is counted")
}

// TestTheFoldersOfCopilotAndPiAreRead holds for a program's folder, and for a file of each alone, whose session counts
// even if the row that tells it is damaged.
func TestTheFoldersOfCopilotAndPiAreRead(t *testing.T) {
	dir := t.TempDir()
	of := map[string]string{}
	write(t, dir, ".copilot/session-state/s1/files/notes.jsonl", "{}\n")
	of["copilot"] = write(t, dir, ".copilot/session-state/s1/events.jsonl", "half\n"+
		`{"type":"user.message","id":"e1","data":{"content":"first"}}`+"\n")
	of["pi"] = write(t, dir, ".pi/agent/sessions/--w--/2026-11-20T09-00-00-000Z_s1.jsonl", "half\n"+
		`{"type":"message","id":"p1","message":{"role":"user","content":"first"}}`+"\n"+
		`{"type":"message","id":"p2","parentId":"p1","message":{"role":"user","content":"left"}}`+"\n"+
		`{"type":"message","id":"p3","parentId":"p1","message":{"role":"user","content":"second"}}`+"\n")
	want := map[string][]string{"copilot": {"first"}, "pi": {"first", "second"}}
	for program, place := range map[string]string{"copilot": filepath.Join(dir, ".copilot"),
		"pi": filepath.Join(dir, ".pi", "agent")} {
		for _, place := range []string{place, of[program]} {
			k := &taker{t: t}
			w := k.walk(place)
			require.NoError(t, w.Once(t.Context()))
			assert.Equal(t, want[program], k.prompts())
			for _, s := range k.list {
				assert.Equal(t, program, s.Agent)
				assert.Equal(t, "s1", s.Session)
			}
			assert.Equal(t, 1, w.Report().Files)
			assert.Equal(t, 1, w.Report().Malformed)
		}
	}
	write(t, dir, ".copilot/history-session-state/session_s0_1759309200.json",
		`{"sessionId":"s0","timeline":[{"type":"user","id":"u","text":"long ago"}]}`)
	k := &taker{t: t}
	require.NoError(t, k.walk(filepath.Join(dir, ".copilot")).Once(t.Context()))
	assert.ElementsMatch(t, []string{"first", "long ago"}, k.prompts(), "with what the first versions left")
	k = &taker{t: t}
	require.NoError(t, k.walk(dir).Once(t.Context()))
	assert.Len(t, k.prompts(), 4, "in a folder above both")
}
