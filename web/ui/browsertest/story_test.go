package page_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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

// told is a server whose ann has lived through the story. passing is the latest thread that a scene began for itself,
// again one beside the story that repeats its second turn.
type told struct {
	*server
	thread, again, job, passing string
	windows                     map[string]*tab // by user
}

// What the pictures add to the story: its second turn once more with other words, and its first turn with one call
// that goes on until the turn is stopped, so that all pictures of a turn that runs show the same moment.
const (
	repeated = "Fix it again, please: the ledger moved."
	endless  = "TestInvoiceTotals fails again since noon. Find out why."
)

// forPictures returns the story as the pictures show it.
func forPictures(t *testing.T) (script string, messages []string) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(storyFolder, "script.json"))
	require.NoError(t, err)
	var story map[string]any
	require.NoError(t, json.Unmarshal(raw, &story))
	tools, turns := story["tools"].(map[string]any), story["turns"].([]any)
	for _, tool := range tools {
		tool.(map[string]any)["delay_ms"] = 600
	}
	for _, turn := range turns {
		messages = append(messages, turn.(map[string]any)["message"].(string))
	}
	first, second := copied(t, turns[0]), copied(t, turns[1])
	first["message"], second["message"] = endless, repeated
	third := first["steps"].([]any)[2].(map[string]any)
	third["tool_calls"] = append(third["tool_calls"].([]any), map[string]any{"id": "hold", "name": "git_bisect",
		"arguments": map[string]any{"good": "v2.3.0"}, "rationale": "One of the 40 commits since the release did it."})
	tools["git_bisect"] = map[string]any{"delay_ms": 600_000, "result": "found"}
	steps := second["steps"].([]any)
	patch := steps[0].(map[string]any)["tool_calls"].([]any)[0].(map[string]any)
	patch["rationale"] = "Round once, after the sum, as the ledger does now; until then a line keeps its mills."
	steps[1].(map[string]any)["delay_ms"] = 700
	steps[2].(map[string]any)["text"] = "Fixed in `internal/invoice/totals.go`; all twelve cases pass."
	story["turns"] = append(turns, first, second)
	raw, err = json.Marshal(story)
	require.NoError(t, err)
	script = filepath.Join(t.TempDir(), "script.json")
	require.NoError(t, os.WriteFile(script, raw, 0o600))
	return script, messages
}

// copied returns a deep copy of a turn of a script.
func copied(t *testing.T, turn any) (out map[string]any) {
	t.Helper()
	raw, err := json.Marshal(turn)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

// tellStory serves the story and plays it: 32 turns, of which the first has 36 calls, and a job. The call that
// asks a person in it waits.
func tellStory(t *testing.T) *told {
	t.Helper()
	script, messages := forPictures(t)
	s := &told{windows: map[string]*tab{}, server: startScripted(t, script)}
	s.again = s.tell("", repeated, 1)
	for i, message := range messages {
		s.thread = s.tell(s.thread, message, i+1)
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

// tell sends a message of the story, waits for the end of its turn, and returns the thread. A call that asks a person
// is denied.
func (s *told) tell(thread, message string, turn int) string {
	s.t.Helper()
	if thread == "" {
		thread = s.do("ann", http.MethodPost, "/api/chat/thread/new", map[string]string{})["id"].(string)
	}
	s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": message, "thread_id": thread})
	path := fmt.Sprintf("/api/chat/turn?turn=%d&thread_id=%s", turn, thread)
	eventually(s.t, "the turn ends", func() bool {
		now := s.do("ann", http.MethodGet, path, nil)
		if asked, ok := now["pending_approvals"].([]any); ok {
			s.do("ann", http.MethodPost, "/api/chat/approval",
				map[string]any{"request_id": asked[0].(map[string]any)["request_id"], "action": "deny"})
		}
		return now["state"] == "completed" || now["state"] == "failed"
	})
	return thread
}

// begin sends a message in a thread of its own, and shows it.
func (s *told) begin(w *tab, message string) {
	s.passing = s.do("ann", http.MethodPost, "/api/chat/thread/new", map[string]string{})["id"].(string)
	s.do("ann", http.MethodPost, "/api/chat/send", map[string]string{"content": message, "thread_id": s.passing})
	w.run(chromedp.Navigate(s.url + "/#t=" + s.passing))
}

// end deletes the thread that a scene began, so that no other picture shows it.
func (s *told) end() {
	if s.passing == "" {
		return
	}
	s.do("ann", http.MethodPost, "/api/chat/interrupt", map[string]string{"thread_id": s.passing})
	eventually(s.t, "the turn ends", func() bool {
		now := s.do("ann", http.MethodGet, "/api/chat/turn?turn=1&thread_id="+s.passing, nil)
		return now["state"] == "interrupted" || now["state"] == "completed"
	})
	s.do("ann", http.MethodDelete, "/api/chat/threads/"+s.passing, map[string]string{})
	s.passing = ""
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
	visit := func(w *tab, place string) { w.run(chromedp.Navigate(s.url + "/#t=" + s.thread + place)) }
	opened := func(turn int, words string) func(w *tab) {
		return func(w *tab) {
			visit(w, fmt.Sprintf("&turn=%d", turn))
			w.shows(fmt.Sprintf("candor-turn[data-turn='%d']", turn), words)
			unfold(w, turn)
		}
	}
	row := func(turn int, words string) func(w *tab) {
		return func(w *tab) {
			visit(w, fmt.Sprintf("&turn=%d&d=call_1", turn))
			w.shows(fmt.Sprintf("candor-turn[data-turn='%d']", turn), words)
			w.until("its row is open", `(() => { const row = document.activeElement;
				if (row.matches('candor-decision:not(.open)')) row.toggle();
				return row.matches('candor-decision.open'); })()`)
		}
	}
	return []screen{
		{"end", func(w *tab) { visit(w, "&turn=32"); w.shows("candor-turn[data-turn='32']", "Thanks") }},
		{"first-turn", opened(1, "InvoiceTotals")},
		{"patch", row(2, "apply_patch")},
		{"details", row(4, "delete_file")},
		{"failed", opened(9, "staging")},
		{"closed", func(w *tab) { visit(w, "&turn=9"); w.shows("candor-turn[data-turn='12']", "send_mail") }},
		{"rejected", opened(15, "drop_table")},
		{"masked", opened(18, "rates")},
		{"timeline", func(w *tab) { visit(w, "&turn=1&view=timeline"); w.shows("#timeline", "run_tests") }},
		{"compare", func(w *tab) {
			w.run(chromedp.Navigate(s.url + "/#t=" + s.again + "&turn=1&diff=2&dt=" + s.thread))
			w.shows("dialog[open]", "apply_patch")
		}},
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
			w.until("the list is open", `(() => { const o = document.querySelector('#rail-open');
				if (o.getAttribute('aria-expanded') !== 'true') o.click(); return o.checkVisibility(); })()`)
		}},
		{"running", func(w *tab) {
			s.begin(w, endless)
			w.until("one call goes on, and what ran beside it has ended",
				`[...document.querySelectorAll('candor-decision[data-outcome=pending] .tool')]
					.map((el) => el.textContent).join() === 'git_bisect'`)
		}},
		{"approval", func(w *tab) {
			s.begin(w, "Tell the customers about the new rates.")
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
			for _, sc := range screens {
				// The list is beside everything else where there is room for it.
				if (*storyWidth == 0 || *storyWidth == size[0]) && (sc.name != "rail" || size[0] < 1024) {
					name := fmt.Sprint(sc.name, "-", size[0], "-", theme)
					s.t.Run(name, func(t *testing.T) { s.picture(t, name, sc, theme, size) })
				}
			}
		}
	}
}

// signedIn returns a tab of its own for a user, who signs in once: codes for it are rationed.
func (s *told) signedIn(t *testing.T, user string) *tab {
	if s.windows[user] == nil {
		w := window(s.t).open(s.server, user)
		w.shows("#link", "Live")
		s.windows[user] = w
	}
	return (&tab{t: t, ctx: s.windows[user].ctx}).tab()
}

// picture takes a picture of a screen and writes it to name.png.
func (s *told) picture(t *testing.T, name string, sc screen, theme string, size [2]int64) {
	var w *tab
	switch sc.name {
	case "sign-in":
		w = window(t)
	case "empty":
		w = s.signedIn(t, "bob")
	default:
		w = s.signedIn(t, "ann")
	}
	w.theme(theme)
	w.run(chromedp.EmulateViewport(size[0], size[1]))
	if size[0] < 1024 {
		w.touch()
	}
	w.run(chromedp.Navigate(s.url + "/"))
	if sc.name != "sign-in" {
		w.shows("#link", "Live")
	}
	sc.show(w)
	w.settle()
	picture, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	require.NoError(t, err)
	require.Equal(t, size[0] < 1024, eval[bool](w, `matchMedia('(hover: none)').matches`), "fingers")
	require.NoError(t, os.WriteFile(filepath.Join(*storyScreens, name+".png"), picture, 0o644))
	s.end()
}
