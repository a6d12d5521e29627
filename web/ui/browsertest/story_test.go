package page_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

var (
	storyScreens = flag.String("story", "", "write pictures of the story of testdata/story into this `folder`")
	storyWidth   = flag.Int64("story-width", 0, "write those of this width only")
)

// storyFolder has the story that the pictures show.
const storyFolder = "../../../testdata/story"

// told is a server whose ann has lived through the story.
type told struct {
	*server
	thread, job string
}

// tellStory serves the story and plays it: 32 turns, of which the first has 36 calls, and a job. The call that
// asks a person in it waits.
func tellStory(t *testing.T) *told {
	t.Helper()
	script := filepath.Join(t.TempDir(), "script.json")
	raw, err := os.ReadFile(filepath.Join(storyFolder, "script.json"))
	require.NoError(t, err)
	var story map[string]any
	require.NoError(t, json.Unmarshal(raw, &story))
	for _, tool := range story["tools"].(map[string]any) {
		tool.(map[string]any)["delay_ms"] = 600 // long enough for a picture of a turn that runs
	}
	slow, err := json.Marshal(story)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, slow, 0o600))
	s := &told{server: startScripted(t, script)}
	for i, turn := range story["turns"].([]any) {
		message := turn.(map[string]any)["message"].(string)
		s.tell(message, i+1)
	}
	opened := s.do("ann", http.MethodPost, "/api/jobs",
		map[string]any{"title": "Nightly dependency audit", "prompt": "Audit what we depend on."})
	s.job = opened["job_id"].(string)
	var events []map[string]any
	posts, err := os.ReadFile(filepath.Join(storyFolder, "job.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(posts, &events))
	for _, event := range events {
		s.post(opened, event)
	}
	return s
}

// tell sends a message of the story and waits for the end of its turn. A call that asks a person is denied.
func (s *told) tell(message string, turn int) {
	s.t.Helper()
	sent := s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": message, "thread_id": s.thread})
	s.thread = sent["thread_id"].(string)
	path := fmt.Sprintf("/api/chat/turn?turn=%d&thread_id=%s", turn, s.thread)
	eventually(s.t, "the turn ends", func() bool {
		now := s.do("ann", http.MethodGet, path, nil)
		if asked, ok := now["pending_approvals"].([]any); ok {
			s.do("ann", http.MethodPost, "/api/chat/approval",
				map[string]any{"request_id": asked[0].(map[string]any)["request_id"], "action": "deny"})
		}
		return now["state"] == "completed" || now["state"] == "failed"
	})
}

// startScripted is startServer for a model that is a script, with the script's tools.
func startScripted(t *testing.T, script string) *server {
	t.Helper()
	s := startServer(t)
	s.kill()
	var args []string
	for i := 0; i < len(s.args); i++ {
		switch s.args[i] {
		case "--provider", "--model", "--approve":
			i++ // and its value
		default:
			args = append(args, s.args[i])
		}
	}
	s.args = append(args, "--provider", "script", "--script", script)
	s.start()
	return s
}

// screens returns the screens of the story.
func (s *told) screens() []screen {
	at := s.url + "/#t=" + s.thread
	visit := func(w *tab, place string) { w.run(chromedp.Navigate(at + place)) }
	return []screen{
		{"end", func(w *tab) { visit(w, "&turn=32"); w.shows("candor-turn[data-turn='32']", "Thanks") }},
		{"first-turn", func(w *tab) {
			visit(w, "&turn=1")
			w.shows("candor-turn[data-turn='1']", "InvoiceTotals")
			unfold(w, 1)
		}},
		{"details", func(w *tab) {
			visit(w, "&turn=4&d=call_1")
			w.shows("candor-turn[data-turn='4']", "delete_file")
			w.until("its row is open", `(() => { const row = document.activeElement;
				if (row.matches('candor-decision:not(.open)')) row.toggle();
				return row.matches('candor-decision.open'); })()`)
		}},
		{"masked", func(w *tab) {
			visit(w, "&turn=18")
			w.shows("candor-turn[data-turn='18']", "rates")
			unfold(w, 18)
		}},
		{"timeline", func(w *tab) { visit(w, "&turn=1&view=timeline"); w.shows("#timeline", "run_tests") }},
		{"compare", func(w *tab) { visit(w, "&turn=2&diff=8"); w.shows("dialog[open]", "apply_patch") }},
		{"job", func(w *tab) {
			w.run(chromedp.Navigate(s.url + "/#job=" + s.job))
			w.shows("candor-job", "Completed")
		}},
		{"search", func(w *tab) {
			visit(w, "&turn=32")
			w.press("Escape", "/")
			w.write("why did it delete that file?")
			w.shows("#results", "delete_file")
		}},
		{"rail", func(w *tab) {
			w.press("Escape")
			visit(w, "&turn=32")
			eval[bool](w, `(() => { const o = document.querySelector('#rail-open');
				if (o.checkVisibility()) o.click(); return true; })()`)
		}},
		{"running", func(w *tab) {
			sent := s.do("ann", http.MethodPost, "/api/chat/thread/new", map[string]string{})
			thread := sent["id"].(string)
			s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{
				"content": "TestInvoiceTotals fails on main since Tuesday. Find out why.", "thread_id": thread})
			w.run(chromedp.Navigate(s.url + "/#t=" + thread))
			w.shows("candor-turn", "InvoiceTotals")
		}},
		{"approval", func(w *tab) {
			sent := s.do("ann", http.MethodPost, "/api/chat/thread/new", map[string]string{})
			thread := sent["id"].(string)
			s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{
				"content": "Tell the customers about the new rates.", "thread_id": thread})
			w.run(chromedp.Navigate(s.url + "/#t=" + thread))
			w.shows("main", "May it run?")
		}},
	}
}

// unfold opens the reasons of a turn.
func unfold(w *tab, turn int) {
	w.until("the turn is open", fmt.Sprintf(`(() => {
		const head = document.querySelector("candor-turn[data-turn='%d'] .headline");
		if (head.ariaExpanded === 'false') head.click();
		return head.ariaExpanded === 'true'; })()`, turn))
}

// TestStoryScreens takes pictures of the story for a person to look at.
func TestStoryScreens(t *testing.T) {
	if *storyScreens == "" {
		t.Skip("make screenshots writes them")
	}
	require.NoError(t, os.MkdirAll(*storyScreens, 0o755))
	s := tellStory(t)
	screens := append(s.screens(), screen{"empty", func(*tab) {}}, screen{"sign-in", func(*tab) {}})
	for _, theme := range []string{"light", "dark"} {
		for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {768, 1024}, {390, 844}} {
			if *storyWidth != 0 && size[0] != *storyWidth {
				continue
			}
			for _, sc := range screens {
				w := window(t)
				w.theme(theme)
				w.run(chromedp.EmulateViewport(size[0], size[1]))
				switch sc.name {
				case "sign-in":
					w.run(chromedp.Navigate(s.url + "/"))
				case "empty":
					w.open(s.server, "bob")
				default:
					w.open(s.server, "ann")
					w.shows("#link", "Live")
				}
				sc.show(w)
				w.settle()
				picture, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
				require.NoError(t, err)
				name := strings.Join([]string{sc.name, fmt.Sprint(size[0]), theme}, "-")
				require.NoError(t, os.WriteFile(filepath.Join(*storyScreens, name+".png"), picture, 0o644))
			}
		}
	}
}
