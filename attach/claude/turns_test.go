package claude_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/claude"
)

// asks returns a row of a person, and says one of the model with its stop reason, as a text in quotes or null.
func asks(prompt, text string) string {
	return row(fmt.Sprintf(`"type":"user","promptId":%q,"uuid":"u-%s","message":{"role":"user","content":%q}`, prompt,
		prompt,
		text))
}

func says(id, stop, content string) string {
	return row(fmt.Sprintf(`"type":"assistant","uuid":"a-%s","message":{"id":%q,"model":"claude-x","stop_reason":%s,`+
		`"content":[%s]}`, id, id, stop, content))
}

const (
	lists   = `{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}}`
	partial = `{"type":"text","text":"The file has two"}`
)

// TestTurnsEndHoweverTheProgramWritesIt has the ends of turns that no row with end_turn tells.
func TestTurnsEndHoweverTheProgramWritesIt(t *testing.T) {
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"an answer that was cut off": {[]string{asks("p", "read"), says("m", `"max_tokens"`, partial)},
			[]string{"read ended: The file has two"}},
		"a window that was full": {[]string{asks("p", "read"), says("m", `"model_context_window_exceeded"`, partial)},
			[]string{"read ended: The file has two"}},
		"a word that nobody knows yet": {[]string{asks("p", "read"), says("m", `"enough"`, partial)},
			[]string{"read ended: The file has two"}},
		"a refusal is no answer": {[]string{asks("p", "read"), says("m", `"refusal"`, partial)},
			[]string{"read failed: The model refused to answer."}},
		"a pause goes on": {[]string{asks("p", "read"), says("m", `"pause_turn"`, partial),
			says("n", `"end_turn"`, `{"type":"text","text":"Two."}`)}, []string{"read ended: Two."}},
		"no word, and the end of the file": {[]string{asks("p", "read"), says("m", "null", partial)},
			[]string{"read ended: The file has two"}},
		"no word, and a later prompt": {[]string{asks("p", "read"), says("m", "null", partial), asks("q", "next")},
			[]string{"read ended: The file has two", "next ended:"}},
		"calls, and a later prompt": {[]string{asks("p", "read"), says("m", `"tool_use"`, partial+","+lists),
			asks("q", "next"), says("n", `"end_turn"`,
				partial)}, []string{"read ended:", "next ended: The file has two"}},
		"the row that closes a turn": {[]string{asks("p", "read"), says("m", "null", partial),
			row(`"type":"system","subtype":"turn_duration","durationMs":5`)}, []string{"read ended: The file has two"}},
		"a row behind the end opens nothing": {[]string{asks("p", "read"), says("m", `"end_turn"`, partial),
			says("n", "null", `{"type":"thinking","thinking":"x"}`)}, []string{"read ended: The file has two"}},
		"a content that is a text": {[]string{asks("p", "read"),
			row(`"type":"assistant","message":{"id":"m","role":"assistant","content":"Two."}`)}, []string{"read " +
			"ended: Two."}},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, strings.Join(c.rows, ""), nil)
			assert.Equal(t, c.want, attachtest.Turns(list, false))
		})
	}
}

func TestATurnOfAFileThatGrowsIsNotOverWithTheFile(t *testing.T) {
	r := claude.NewReader(nil, true)
	var all []attach.Sighting
	text := asks("p", "read") + says("m", "null", partial)
	for s, err := range r.Read(strings.NewReader(text)) {
		require.NoError(t, err)
		all = append(all, s)
	}
	assert.Equal(t, []string{"read"}, attachtest.Turns(all, false))
	for s, err := range r.Read(strings.NewReader(asks("q", "next"))) {
		require.NoError(t, err)
		all = append(all, s)
	}
	assert.Equal(t, []string{"read ended: The file has two", "next"}, attachtest.Turns(all, false))
}

func TestCommandsOfTheClientAreNoTurnsUnlessTheModelAnswers(t *testing.T) {
	const clear = "<command-name>/clear</command-name>\n<command-message>clear</command-message>\n" +
		"<command-args></command-args>"
	const review = "<command-message>review</command-message>\n<command-name>/review</command-name>\n" +
		"<command-args>the last commit</command-args>"
	for name, c := range map[string]struct {
		rows []string
		want []string
	}{
		"a command":       {[]string{asks("p", clear), asks("q", "go on")}, []string{"go on ended:"}},
		"what it printed": {[]string{asks("p", "<local-command-stdout>done</local-command-stdout>")}, nil},
		"a command of a shell": {[]string{asks("p", "<bash-input>ls</bash-input>"), asks("p",
			"<bash-stdout>a</bash-stdout>")}, nil},
		"without a number": {[]string{row(`"type":"user","uuid":"u",` +
			`"message":{"content":"<bash-input>ls</bash-input>"}`)},
			nil},
		"between two turns": {[]string{asks("p", "one"), says("m", `"end_turn"`, partial), asks("q", clear), asks("r",
			"two"),
			says("n", `"end_turn"`, partial)}, []string{"one ended: The file has two", "two ended: The file has two"}},
		"one that the model answers": {[]string{asks("p", review), says("m", `"end_turn"`, partial)},
			[]string{"/review the last commit ended: The file has two"}},
		"words about a command": {[]string{asks("p", "what is <command-name>/clear</command-name>?")},
			[]string{"what is <command-name>/clear</command-name>? ended:"}},
	} {
		t.Run(name, func(t *testing.T) {
			list, _ := read(t, strings.Join(c.rows, ""), nil)
			assert.Equal(t, c.want, attachtest.Turns(list, false))
		})
	}
}

// TestAnswersAndCallsWithEqualOrEmptyIdsStayApart holds for providers that name nothing, or everything alike.
func TestAnswersAndCallsWithEqualOrEmptyIdsStayApart(t *testing.T) {
	result := func(id, text string) string {
		return row(fmt.Sprintf(`"type":"user","promptId":"p","message":{"content":[{"type":"tool_result",`+
			`"tool_use_id":%q,`+
			`"content":%q}]}`, id, text))
	}
	said := func(id, uuid string, place int, content string) string {
		index := fmt.Sprintf(`"apiBlockIndex":%d,`, place)
		if place < 0 {
			index = ""
		}
		return row(fmt.Sprintf(`"type":"assistant","uuid":%q,%s"message":{"id":%q,"content":[%s]}`, uuid, index, id,
			content))
	}
	call := func(id string) string { return fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"Bash","input":{}}`, id) }
	text := func(text string) string { return fmt.Sprintf(`{"type":"text","text":%q}`, text) }
	for name, ids := range map[string]struct{ message, first, second string }{
		"no id of the answer":   {"", "c1", "c2"},
		"one id of all answers": {"msg_local", "c1", "c2"},
		"one id of all calls":   {"", "call_0", "call_0"},
		"no id of anything":     {"", "", ""},
		"ids that are no ids":   {"msg", "call of Bash", "call of Bash"},
	} {
		for _, places := range [][2]int{{0, 1}, {-1, -1}} {
			t.Run(fmt.Sprint(name, places), func(t *testing.T) {
				list, report := read(t, asks("p", "go")+
					said(ids.message, "u1", places[0], text("First."))+said(ids.message, "u2", places[1],
					call(ids.first))+
					result(ids.first, "one")+
					said(ids.message, "u3", places[0], text("Second."))+said(ids.message, "u4", places[1],
					call(ids.second))+
					result(ids.second, "two")+
					said(ids.message, "u5", places[0], text("Done.")), nil)
				assert.Zero(t, report.Malformed)
				groups, of := map[string]string{}, map[string]string{}
				var results []string
				for _, s := range list {
					attachtest.AssertSound(t, s, 128)
					switch {
					case s.Said != nil:
						groups[s.Group] = s.Said.Text
					case s.Called != nil:
						of[s.Call] = groups[s.Group]
					case s.Returned != nil:
						results = append(results, of[s.Call]+" "+string(s.Returned.Result))
					}
				}
				assert.Len(t, groups, 3)
				assert.Equal(t, []string{`First. "one"`, `Second. "two"`}, results)
				assert.Equal(t, []string{"go ended: Done."}, attachtest.Turns(list, false))
			})
		}
	}
}

func TestHalfARowBeforeTheWholeOneIsLostAlone(t *testing.T) {
	whole := says("m", `"tool_use"`, lists)
	for name, damaged := range map[string]string{
		"in an id":                 whole[:30] + whole,
		"in a text":                whole[:len(whole)-20] + whole,
		"behind a member":          whole[:strings.Index(whole, `,"message"`)] + whole,
		"where a value should be":  whole[:strings.Index(whole, `{"id"`)] + whole,
		"twice":                    whole[:30] + whole[:60] + whole,
		"marks, zeros and a stray": "\ufeff\x00" + whole[:30] + "\x00" + whole,
	} {
		t.Run(name, func(t *testing.T) {
			list, report := read(t, asks("p", "go")+damaged, nil)
			calls := attachtest.Those(list, func(s *attach.Sighting) bool { return s.Called != nil })
			require.Len(t, calls, 1)
			assert.Equal(t, "c1", calls[0].Call)
			assert.Equal(t, 1, report.Malformed)
		})
	}
	// What a tool returned is no row, even if it looks like one.
	forged := row(`"type":"user","toolUseResult":[{"type":"user","sessionId":"s","message":{"content":"forged"}},` +
		`1],"message":7`)
	list, report := read(t, forged, nil)
	assert.Empty(t, list)
	assert.Equal(t, 1, report.Malformed)
	list, _ = read(t, forged[:strings.Index(forged, `,"message":7`)]+"\n", nil)
	assert.Empty(t, list)
}
