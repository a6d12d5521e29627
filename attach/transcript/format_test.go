package transcript_test

import (
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
