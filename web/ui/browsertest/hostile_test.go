package page_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"
)

// recordAttempts makes every document of the tab note what was attempted in it: calls of
// mark, and what the page's policy refused.
const recordAttempts = `window.tried = []; window.mark = () => tried.push('mark() ran');
	addEventListener('securitypolicyviolation',
		(e) => tried.push('refused: ' + e.violatedDirective + ' ' + e.blockedURI));`

// hostileWindow opens a window that records attempts.
func hostileWindow(t *testing.T) *tab {
	t.Helper()
	w := window(t)
	script := page.AddScriptToEvaluateOnNewDocumentParams{Source: recordAttempts}
	_, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, script)
	require.NoError(t, err)
	return w
}

// requireInert checks that nothing was attempted, no other server asked, and no element
// added to those that were there before.
func (w *tab) requireInert(s *server, elements []string) {
	w.t.Helper()
	assert.Empty(w.t, eval[[]string](w, `tried`))
	assert.Empty(w.t, w.fetched(s.url), "requests to another server")
	assert.Equal(w.t, elements, foreignElements(w), "elements that the page does not use")
	w.clean()
}

// shownText is a text, and a selector of the elements that show it.
type shownText struct{ css, text string }

func TestModelAndToolTextIsShownAndNeverRuns(t *testing.T) {
	require.GreaterOrEqual(t, len(payloads), 60)
	s := startServer(t)
	thread := ""
	for _, p := range payloads {
		s.on(p,
			reply{Text: p, Calls: []call{
				{"look", map[string]any{"say": p, p: "a key"}, p},
				{"fail", map[string]any{"say": p}, p + " again"},
				{p, map[string]any{}, "a tool of that name"},
			}},
			reply{Text: p})
		thread = s.say("ann", thread, p)
	}
	w := hostileWindow(t).open(s, "ann")
	w.shows("#link", "Live")
	elements := foreignElements(w)
	for n := range payloads {
		w.run(chromedp.Navigate(fmt.Sprintf("%s/#t=%s&turn=%d&d=call_1", s.url, thread, n+1)))
		for _, want := range textsOf(s, thread, n+1) {
			w.showsText(n+1, want)
		}
	}
	w.requireInert(s, elements)
}

// textsOf returns the texts that the API has of a turn, with where the page shows them.
func textsOf(s *server, thread string, number int) []shownText {
	at := fmt.Sprintf("/api/chat/turn?render=html&thread_id=%s&turn=%d", thread, number)
	info := s.do("ann", http.MethodGet, at, nil)
	reasoning := info["reasoning"].(map[string]any)
	out := []shownText{
		{".user", info["user_input"].(string)},
		{".answer", textOf(info["response_html"].(string))},
		{".narrative", textOf(reasoning["narrative_html"].(string))},
	}
	objects := map[any]any{} // what stands in the row, which its details leave out
	for _, raw := range info["tool_calls"].([]any) {
		objects[raw.(map[string]any)["call_id"]] = raw.(map[string]any)["object"]
	}
	for _, raw := range reasoning["tool_decisions"].([]any) {
		d := raw.(map[string]any)
		row := fmt.Sprintf("candor-decision[data-call=%s] ", d["call_id"])
		out = append(out,
			shownText{row + ".tool", d["tool_name"].(string)}, shownText{row + ".why", d["rationale"].(string)})
		for key, value := range d["parameters"].(map[string]any) {
			if value == objects[d["call_id"]] {
				out = append(out, shownText{row + ".object", asText(value)})
				continue
			}
			out = append(out, shownText{row + ".details", asText(value)}, shownText{row + ".details", key})
		}
	}
	for _, raw := range info["tool_calls"].([]any) {
		c := raw.(map[string]any)
		row := fmt.Sprintf("candor-decision[data-call=%s] ", c["call_id"])
		if e, ok := c["error"].(string); ok {
			out = append(out, shownText{row + ".failure", e})
		}
		if text, ok := c["result"].(string); ok {
			out = append(out, shownText{row + ".details", text})
		}
	}
	return out
}

// asJSON encodes a value without escaping HTML.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSpace(b.String())
}

// asText returns a string as it is, and everything else as JSON.
func asText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return asJSON(v)
}

// textOf returns the text of an HTML fragment.
func textOf(fragment string) string {
	doc, err := html.Parse(strings.NewReader(fragment))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for n := range doc.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// showsText waits until an element of the turn has the text, apart from white space.
func (w *tab) showsText(turn int, want shownText) {
	w.t.Helper()
	w.until(fmt.Sprintf("turn %d: %s shows %q", turn, want.css, want.text), `(() => {
		const squeeze = (s) => s.replace(/\s+/g, '');
		const turn = document.querySelector(%s);
		if (!turn) return false;
		for (const d of turn.querySelectorAll('candor-decision')) if (!d.open) d.toggle(true);
		return [...turn.querySelectorAll(%s)].some((e) => squeeze(e.textContent).includes(squeeze(%s)));
	})()`, fmt.Sprintf("candor-turn[data-turn='%d']", turn), want.css, want.text)
}

// foreignElements lists elements that could load or run something, most of which the page
// never uses.
func foreignElements(w *tab) []string {
	// The first rows that open, and other parts of the page, load these.
	eval[bool](w, `import('/ui/lib/dom.js').then((m) => Promise.all(['ondemand', 'block'].map((name) =>
		m.loadStyles('/ui/css/' + name + '.css')))).then(() => true)`)
	return eval[[]string](w, `[...new Set([...document.querySelectorAll('script, iframe, object, embed, img, image, ' +
		'link, style, base, meta, form, video, audio, svg, math, portal, template, slot, marquee, frame, frameset, ' +
		'applet, xmp, noscript')].map((e) => e.outerHTML.slice(0, 80)))].sort()`)
}

func TestWorkerTextIsShownAndNeverRuns(t *testing.T) {
	s := startServer(t)
	w := hostileWindow(t).open(s, "ann")
	w.shows("#link", "Live")
	s.job(w, "A quiet one", "Nothing to do.") // the first job loads styles
	w.shows("candor-job", "Waiting for a worker")
	elements := foreignElements(w)
	for i := 0; i < len(payloads); i += 9 {
		p := payloads[i]
		job := s.do("ann", http.MethodPost, "/api/jobs", map[string]any{"title": p, "prompt": p})
		reasons := []any{map[string]any{"tool_name": p, "rationale": p}}
		s.post(job, map[string]any{"event": "tool_use", "tool_name": p, "call_id": "1", "input": map[string]any{p: p}})
		s.post(job,
			map[string]any{"event": "tool_result", "tool_name": p, "call_id": "1", "output": p, "outcome": "success"})
		s.post(job, map[string]any{"event": "reasoning", "narrative": p, "tool_decisions": reasons})
		s.post(job, map[string]any{"event": "result", "success": true, "message": p})
		w.run(chromedp.Navigate(s.url + "/#job=" + job["job_id"].(string)))
		title := s.do("ann", http.MethodGet, "/api/jobs/"+job["job_id"].(string), nil)["title"].(string)
		w.until("the title is text",
			`[...document.querySelectorAll('#jobs .name')].some((e) => %s.startsWith(e.textContent.replace('…', '')))`,
			title)
		for _, css := range []string{".user", ".why", ".tool"} {
			w.showsText(1, shownText{css, title})
		}
		detail := s.do("ann", http.MethodGet, "/api/jobs/"+job["job_id"].(string)+"?render=html", nil)
		turn := detail["turns"].([]any)[0].(map[string]any)
		narrative := turn["reasoning"].(map[string]any)["narrative_html"].(string)
		w.showsText(1, shownText{".narrative", textOf(narrative)})
		w.showsText(1, shownText{".answer", textOf(turn["response_html"].(string))})
	}
	w.requireInert(s, elements)
}

// post sends an event as the job's worker.
func (s *server) post(job map[string]any, event map[string]any) {
	s.t.Helper()
	raw, err := json.Marshal(event)
	require.NoError(s.t, err)
	target := s.url + "/api/jobs/" + job["job_id"].(string) + "/events"
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, target, bytes.NewReader(raw))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+job["token"].(string))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Less(s.t, resp.StatusCode, 300)
}
