package page_test

import (
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

// watchful has every document of the tab say what was tried in it: calls of mark, and
// what the page's policy had to refuse.
const watchful = `window.tried = []; window.mark = () => tried.push('mark() ran');
	addEventListener('securitypolicyviolation', (e) => tried.push('refused: ' + e.violatedDirective + ' ' + e.blockedURI));`

// said is what somebody said, in a place where the page shows it.
type said struct{ css, text string }

// Whatever is said, by whom and where, is text: nothing runs, nothing is fetched, and
// the reader sees it as it was kept.
func TestWhateverIsSaidIsShownAndNothingOfItRuns(t *testing.T) {
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
	w := window(t)
	_, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchful})
	require.NoError(t, err)
	w.open(s, "ann")
	w.shows("#link", "Live")
	elements := strangers(w)
	for n := range payloads {
		w.run(chromedp.Navigate(fmt.Sprintf("%s/#t=%s&turn=%d&d=call_1", s.url, thread, n+1)))
		for _, told := range whatIsSaid(s, thread, n+1) {
			w.says(n+1, told)
		}
	}
	assert.Empty(t, eval[[]string](w, `tried`))
	assert.Empty(t, w.fetched(s.url), "nothing is asked of anybody else")
	assert.Equal(t, elements, strangers(w), "and no element that is not the page's own")
	w.clean()
}

// whatIsSaid is what the API has of a turn, by where the page shows it.
func whatIsSaid(s *server, thread string, number int) []said {
	info := s.do("ann", http.MethodGet, fmt.Sprintf("/api/chat/turn?render=html&thread_id=%s&turn=%d", thread, number), nil)
	reasoning := info["reasoning"].(map[string]any)
	out := []said{
		{".user", info["user_input"].(string)},
		{".answer", textOf(info["response_html"].(string))},
		{".narrative", textOf(reasoning["narrative_html"].(string))},
	}
	for _, raw := range reasoning["tool_decisions"].([]any) {
		d := raw.(map[string]any)
		row := fmt.Sprintf("candor-decision[data-call=%s] ", d["call_id"])
		out = append(out, said{row + ".tool", d["tool_name"].(string)}, said{row + ".why", d["rationale"].(string)})
		for key, value := range d["parameters"].(map[string]any) {
			out = append(out, said{row + ".details", asJSON(value)}, said{row + ".details", asJSON(key)})
		}
	}
	for _, raw := range info["tool_calls"].([]any) {
		c := raw.(map[string]any)
		row := fmt.Sprintf("candor-decision[data-call=%s] ", c["call_id"])
		if e, ok := c["error"].(string); ok {
			out = append(out, said{row + ".failure", e})
		}
		if text, ok := c["result"].(string); ok {
			out = append(out, said{row + ".details", strings.Trim(asJSON(text), `"`)})
		}
	}
	return out
}

// asJSON is a value as JSON that people read.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return strings.TrimSpace(b.String())
}

// textOf is the text of a piece of HTML.
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

// says waits until the turn has the text, white space aside, as the text of an element.
func (w *tab) says(turn int, told said) {
	w.t.Helper()
	w.until(fmt.Sprintf("turn %d: %s says %q", turn, told.css, told.text), `(() => {
		const squeeze = (s) => s.replace(/\s+/g, '');
		const turn = document.querySelector(%s);
		if (!turn) return false;
		for (const d of turn.querySelectorAll('candor-decision')) if (!d.open) d.toggle(true);
		return [...turn.querySelectorAll(%s)].some((e) => squeeze(e.textContent).includes(squeeze(%s)));
	})()`, fmt.Sprintf("candor-turn[data-turn='%d']", turn), told.css, told.text)
}

// strangers are the kinds of elements that could do something and that the page itself
// has no use for.
func strangers(w *tab) []string {
	return eval[[]string](w, `[...new Set([...document.querySelectorAll('script, iframe, object, embed, img, image, link, style, base, meta, form, video, audio, svg, math, portal, template, slot, marquee, frame, frameset, applet, xmp, noscript')]
		.map((e) => e.outerHTML.slice(0, 80)))].sort()`)
}

// Jobs are shown by what strangers to the server said of them.
func TestWhateverAWorkerSaysIsShownAndNothingOfItRuns(t *testing.T) {
	s := startServer(t)
	w := window(t)
	_, err := chromedp.Call(w.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watchful})
	require.NoError(t, err)
	w.open(s, "ann")
	w.shows("#link", "Live")
	elements := strangers(w)
	for i := 0; i < len(payloads); i += 9 {
		p := payloads[i]
		job := s.do("ann", http.MethodPost, "/api/jobs", map[string]any{"title": p, "prompt": p})
		s.post(job, map[string]any{"event": "tool_use", "tool_name": p, "call_id": "1", "input": map[string]any{p: p}})
		s.post(job, map[string]any{"event": "tool_result", "tool_name": p, "call_id": "1", "output": p, "outcome": "success"})
		s.post(job, map[string]any{"event": "reasoning", "narrative": p, "tool_decisions": []any{map[string]any{"tool_name": p, "rationale": p}}})
		s.post(job, map[string]any{"event": "result", "success": true, "message": p})
		w.run(chromedp.Navigate(s.url + "/#job=" + job["job_id"].(string)))
		title := s.do("ann", http.MethodGet, "/api/jobs/"+job["job_id"].(string), nil)["title"].(string)
		w.until("the title is text", `[...document.querySelectorAll('#jobs .name')].some((e) => %s.startsWith(e.textContent.replace('…', '')))`, title)
		for _, css := range []string{".user", ".narrative", ".why", ".tool", ".answer"} {
			w.says(1, said{css, title})
		}
	}
	assert.Empty(t, eval[[]string](w, `tried`))
	assert.Empty(t, w.fetched(s.url))
	assert.Equal(t, elements, strangers(w))
	w.clean()
}

// post sends an event as the job's worker.
func (s *server) post(job map[string]any, event map[string]any) {
	s.t.Helper()
	raw, err := json.Marshal(event)
	require.NoError(s.t, err)
	req, err := http.NewRequestWithContext(s.t.Context(), http.MethodPost, s.url+"/api/jobs/"+job["job_id"].(string)+"/events", strings.NewReader(string(raw)))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+job["token"].(string))
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	require.Less(s.t, resp.StatusCode, 300)
}
