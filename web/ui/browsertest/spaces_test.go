package page_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// space is a space of ann's on a server, in which planner and scout speak without a socket.
type space struct {
	*server
	name string
	sent int
}

// startSpace runs a server with a space. The tokens of its participants are assembled here.
func startSpace(t *testing.T, name string) *space {
	t.Helper()
	s := startServer(t)
	sp := &space{server: s, name: name}
	s.do("ann", http.MethodPost, "/api/mew/spaces", map[string]any{"name": name})
	return sp
}

// voice is how a participant speaks.
type voice struct {
	*space
	id, token string
}

// add adds a participant that may say everything.
func (s *space) add(id string) *voice {
	s.t.Helper()
	added := s.do("ann", http.MethodPost, "/api/mew/spaces/"+s.name+"/participants",
		map[string]any{"id": id, "capabilities": []any{map[string]any{"kind": "*"}}})
	return &voice{s, id, added["token"].(string)}
}

// says sends a message and returns its id.
func (v *voice) says(kind string, payload map[string]any, more ...string) string {
	v.t.Helper()
	v.sent++
	id := fmt.Sprintf("message-%d", v.sent)
	body := map[string]any{"id": id, "kind": kind, "payload": payload}
	for i := 0; i < len(more); i += 2 {
		body[more[i]] = more[i+1]
		if more[i] != "context" {
			body[more[i]] = []string{more[i+1]}
		}
	}
	v.as(v.token, "/mew/participants/"+v.id+"/messages?space="+v.name, body)
	return id
}

// release is how planner, asked by ann, asks scout by a call. It returns the starts of both.
func release(planner, scout *voice) (plans, scouts string) {
	plans = planner.says("reasoning/start", map[string]any{"message": "Release it today?"})
	planner.says("reasoning/thought", map[string]any{
		"message": "scout knows the tests", "action": "tool", "actionInput": map[string]any{"tool": "ask"},
	}, "context", plans)
	asked := planner.says("mcp/request", map[string]any{
		"method": "tools/call", "params": map[string]any{"name": "ask", "arguments": map[string]any{"q": "pass?"}},
	}, "context", plans, "to", "scout")
	scouts = scout.says("reasoning/start", map[string]any{"message": "Do the tests pass?"}, "correlation_id", asked)
	return plans, scouts
}

// threadOf returns the thread of a participant.
func (s *space) threadOf(participant string) string {
	s.t.Helper()
	for _, th := range s.do("ann", http.MethodGet, "/api/chat/threads", nil)["threads"].([]any) {
		one := th.(map[string]any)
		if of, ok := one["origin"].(map[string]any); ok && of["participant"] == participant {
			return one["id"].(string)
		}
	}
	s.t.Fatalf("%s has no thread", participant)
	return ""
}

func TestWhatTheAgentsOfASpaceDoIsShownAsItHappens(t *testing.T) {
	s := startSpace(t, "lab")
	planner, scout := s.add("planner"), s.add("scout")
	w := window(t).open(s.server, "ann")
	w.shows("#spaces h2", "lab")
	w.shows("#spaces .server", "scout")
	_, scouts := release(planner, scout)
	w.shows("#spaces li.live .name", "scout") // a thread that came while the page was open
	w.until("they are no conversations of ours", `!document.querySelector('#threads').textContent.includes('scout')`)
	w.click("#spaces a", "scout")
	w.shows("candor-turn .asker", "planner asked")
	w.shows("candor-turn .because", "scout knows the tests")
	w.shows("candor-turn .because", "the reason of its call")
	assert.Equal(t, "Say something to scout in lab", eval[string](w, `document.querySelector('#message').placeholder`))

	scout.says("reasoning/thought", map[string]any{"message": "I run them."}, "context", scouts)
	request := scout.says("mcp/request", map[string]any{
		"method": "tools/call", "params": map[string]any{"name": "run_tests", "arguments": map[string]any{}},
	}, "context", scouts, "to", "planner")
	planner.says("chat", map[string]any{"text": "Hurry, please."}, "context", scouts, "to", "scout")
	w.shows(".narrative", "I run them.")
	w.shows("candor-decision .to", "→ planner")
	w.shows(".aside", "Hurry, please.")
	w.shows(".aside .who", "planner said to scout")
	scout.says("reasoning/conclusion", map[string]any{"message": "They should."}, "context", scouts)
	w.shows("candor-turn .conclusion", "They should.")
	w.shows("candor-decision .outcome", "no result seen")
	empty := map[string]any{"content": []any{}}
	planner.says("mcp/response", map[string]any{"result": empty}, "correlation_id", request)
	planner.says("reasoning/thought", map[string]any{"message": "Should?"}, "context", scouts)
	w.shows("candor-decision .outcome", "success")
	w.shows(".late-notes", "After the end")
	w.shows(".late-notes .aside", "Should?")

	w.clickNow(`candor-turn .asker a`)
	w.shows("#title", "planner in lab")
	w.shows("candor-decision .tool", "ask")
	w.run(chromedp.Reload())
	w.shows("candor-turn .asker", "planner began by itself")
	w.clean()
}

func TestAPersonSpeaksStopsAndDecidesInASpace(t *testing.T) {
	s := startSpace(t, "lab")
	planner, scout := s.add("planner"), s.add("scout")
	plans, _ := release(planner, scout)
	w := window(t).open(s.server, "ann")
	w.showTurn(s.server, s.threadOf("planner"), 1)
	w.shows("#title", "planner in lab")
	w.click(".take-part", "Join lab")
	w.shows(".take-part", "Leave lab")
	w.click(".take-part", "Leave lab")
	w.shows(".take-part", "Join lab")

	w.send("What about Monday?")
	w.shows("#status", "Said to planner.")
	w.shows("#spaces .name", "ann") // a thread of the speaker's own
	w.shows("#title", "planner in lab")
	w.until("the field is empty", `document.querySelector('#message').value === ''`)

	planner.says("mcp/proposal", map[string]any{
		"method": "tools/call", "params": map[string]any{"name": "deploy", "arguments": map[string]any{"to": "all"}},
	}, "context", plans, "to", "scout")
	w.shows(".ask-line", "May it run?")
	w.until("always is no answer", `!document.querySelector('.ask button[data-action=always]')`)
	w.click(".ask button[data-action=approve]", "Approve")
	w.shows("candor-decision .facts", "approved")
	w.clickNow("#stop")
	w.shows(".aside", "cancelled by the owner")
	w.clean()
}

// Every text of a participant is hostile; the page shows them as text.
func TestWordsOfParticipantsAreShownAndNeverRun(t *testing.T) {
	s := startSpace(t, "lab")
	scout, ann := s.add("scout"), s.add("critic")
	scout.says("reasoning/start", map[string]any{"message": "a quiet one"})
	thread := s.threadOf("scout")
	w := hostileWindow(t).open(s.server, "ann")
	w.showTurn(s.server, thread, 1)
	w.shows("candor-turn .asker", "scout began by itself") // which loads styles
	elements := foreignElements(w)
	for i := 0; i < len(payloads); i += 9 {
		p := payloads[i]
		start := scout.says("reasoning/start", map[string]any{"message": p})
		scout.says("reasoning/thought", map[string]any{"message": p}, "context", start)
		scout.says("mcp/request", map[string]any{
			"method": "tools/call", "params": map[string]any{"name": p, "arguments": map[string]any{p: p}},
		}, "context", start, "to", "scout")
		ann.says("chat", map[string]any{"text": p}, "context", start)
		scout.says("reasoning/conclusion", map[string]any{"message": p}, "context", start)
		ann.says("reasoning/thought", map[string]any{"message": p}, "context", start)
		number := i/9 + 2
		at := fmt.Sprintf("/api/chat/turn?thread_id=%s&turn=%d", thread, number)
		info := s.do("ann", http.MethodGet, at, nil)
		w.showTurn(s.server, thread, number)
		w.showsText(number, shownText{".conclusion", info["conclusion"].(string)})
		notes := info["notes"].([]any)
		for _, n := range notes {
			w.showsText(number, shownText{".aside", n.(map[string]any)["text"].(string)})
		}
		require.Len(t, notes, 2)
	}
	w.requireInert(s.server, elements)
}

func TestTheScreensOfSpacesAreAccessible(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err, "make browser installs axe-core")
	s := startSpace(t, "lab")
	planner, scout := s.add("planner"), s.add("scout")
	_, scouts := release(planner, scout)
	s.add("critic")
	scout.says("reasoning/thought", map[string]any{"message": "I run them."}, "context", scouts)
	planner.says("chat", map[string]any{"text": "Hurry."}, "context", scouts)
	scout.says("reasoning/conclusion", map[string]any{"message": "They should."}, "context", scouts)
	planner.says("reasoning/thought", map[string]any{"message": "Should?"}, "context", scouts)
	for _, look := range []struct {
		theme string
		width int64
	}{{"light", 1280}, {"dark", 1280}, {"light", 390}} {
		w := window(t)
		w.bypassPolicy()
		w.theme(look.theme)
		w.run(chromedp.EmulateViewport(look.width, 800))
		w.open(s.server, "ann")
		w.showTurn(s.server, s.threadOf("scout"), 1)
		w.shows(".late-notes", "After the end")
		w.requireAccessible(string(source), fmt.Sprintf("a space, %s, %d px", look.theme, look.width))
	}
}
