package page_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// waitFor opens a conversation in which n calls wait for ann, in one step.
func waitFor(t *testing.T, n int) *tab {
	t.Helper()
	_, w := waitOn(t, n)
	return w
}

// waitOn is waitFor that returns the server too.
func waitOn(t *testing.T, n int) (*server, *tab) {
	t.Helper()
	s := startServer(t)
	var calls []call
	for i := range n {
		calls = append(calls, call{"danger", map[string]any{"say": fmt.Sprint("part ", i+1)}, "it has to go"})
	}
	s.on("do it", reply{Calls: calls}, reply{Text: "So be it."})
	w := window(t)
	w.run(chromedp.EmulateViewport(1280, 1400)) // each call is in view
	w.open(s, "ann")
	w.shows("#link", "Live")
	w.send("do it")
	for i := range n {
		w.until("each can be answered", `document.querySelector(%s)?.ariaDisabled === null`,
			fmt.Sprintf("%s[data-call=call_%d] [data-action=approve]", decision, i+1))
	}
	w.press("Escape")
	return s, w
}

// refuseAnswers makes the page note the answers that it would send, as action and call, and none arrive.
func (w *tab) refuseAnswers() {
	w.t.Helper()
	eval[bool](w, `(window.sent = [], window.fetch = ((real) => async (to, how) => {
		if (!String(to).includes('/api/chat/approval')) return real(to, how);
		const { action, request_id: id } = JSON.parse(how.body);
		const row = [...document.querySelectorAll('candor-decision')].find((d) => d.call.request?.id === id);
		sent.push(action + ' ' + row.dataset.call);
		return new Response('{"error":"no","code":"try_again"}', { status: 503 });
	})(window.fetch), true)`)
}

// posted returns what the page sent since it was last asked, once it has heard that none of it arrived.
func (w *tab) posted() string {
	w.t.Helper()
	w.until("the answers were refused",
		`![...document.querySelectorAll('.ask button, .ask textarea, .ask input')].some((b) => b.disabled)`)
	return eval[string](w, `sent.splice(0).join(', ')`)
}

// The states that one, two and three waiting calls can be in, each with every key: which of them sends an answer, and
// to which call. Nothing else may.
func TestNoKeyApprovesWhatWasNotAsked(t *testing.T) {
	keys := strings.Split("abcdefghijklmnopqrstuvwxyzADENXY0123456789[]/? .", "")
	keys = append(keys, "Enter", "Tab", "Shift+Tab", "ArrowDown", "ArrowUp", "Home", "End", "Escape")
	const loads = "cegimnoux?./" // keys for which the page loads a part first
	type state struct {
		name string
		go_  func(w *tab) // to it, from the stream
		acts map[string]string
	}
	call2 := func(w *tab) { eval[bool](w, `(document.querySelector('[data-call=call_2]').focus(), true)`) }
	deny := func(w *tab) {
		w.press("d")
		w.until("the words are written", `document.activeElement.matches('.words')`)
	}
	edit := func(w *tab) {
		eval[bool](w, `(document.querySelector('[data-call=call_1] .ask-foot .whole').click(), true)`)
		w.until("the parameters are written", `document.activeElement.matches('.edit')`)
	}
	typing := map[string]string{"Enter": "deny call_1"}
	for n, states := range map[int][]state{
		1: {
			{"nothing has the focus", nil, map[string]string{"y": "approve call_1"}},
			{"always was pressed", func(w *tab) { w.press("a") },
				map[string]string{"y": "approve call_1", "a": "always call_1"}},
			{"always and another key was pressed", func(w *tab) { w.press("a", "q") },
				map[string]string{"y": "approve call_1"}},
			{"the words are written", deny, typing},
			{"the words were left", func(w *tab) { deny(w); w.press("Escape") },
				map[string]string{"y": "approve call_1"}},
			{"the parameters are written", edit, nil},
		},
		2: {
			{"nothing has the focus", nil, nil},
			{"the second has the focus", call2, map[string]string{"y": "approve call_2"}},
			{"the words are written", deny, typing},
			{"the words of the second are written", func(w *tab) { call2(w); deny(w) },
				map[string]string{"Enter": "deny call_2"}},
			{"the words were left for the stream", func(w *tab) {
				deny(w)
				eval[bool](w, `(document.querySelector('#stream').focus(), true)`)
			}, nil},
			{"the parameters are written", edit, nil},
		},
		3: {
			{"nothing has the focus", nil, nil},
			{"always was pressed without a choice", func(w *tab) { w.press("a") },
				map[string]string{"y": "approve call_1"}},
			{"the second has the focus", call2, map[string]string{"y": "approve call_2"}},
			{"the words are written", deny, typing},
		},
	} {
		w := waitFor(t, n)
		w.refuseAnswers()
		fresh := func() {
			w.t.Helper()
			eval[bool](w, `((() => { for (const e of document.querySelectorAll('.ask .words')) e.value = '';
			document.querySelector('dialog[open]')?.close();
			document.querySelector('.headline[aria-expanded=false]')?.click(); return true; })())`)
			w.pressUntil("nothing is open", `document.querySelector('#results').hidden &&
			!document.querySelector('.ask .edit, .menu:not([hidden])')`, "Escape")
			eval[bool](w, `(document.querySelector('#stream').focus(), true)`)
			if location := eval[string](w, `location.hash`); strings.Contains(location, "new") {
				w.run(chromedp.NavigateBack())
			}
			w.until("the calls are in view",
				fmt.Sprintf(`document.querySelectorAll('.ask [data-action=approve]').length === %d`, n))
		}
		for _, st := range states {
			got, want := map[string]string{}, map[string]string{}
			maps.Copy(want, st.acts)
			for _, k := range keys {
				fresh()
				if st.go_ != nil {
					st.go_(w)
				}
				assert.Empty(t, w.posted(), "%d calls, going to: %s", n, st.name)
				w.press(k)
				if strings.Contains(loads, k) {
					w.settle()
				}
				if sent := w.posted(); sent != "" {
					got[k] = sent
				}
			}
			assert.Equal(t, want, got, "%d calls, %s", n, st.name)
			t.Logf("%d waiting, %-40s %d keys: %v", n, st.name, len(keys), slices.Sorted(maps.Keys(got)))
		}
		w.clean()
	}
}

// Whoever denies one of two calls and says why has denied this one, and nothing else.
func TestADenialNeverApproves(t *testing.T) {
	for _, from := range []string{"conversation", "timeline"} {
		w := waitFor(t, 2)
		w.refuseAnswers()
		if from == "timeline" {
			w.press("g", "t")
			w.shows("#timeline", "danger")
			w.press("d")
			w.until("the words can be written", `document.activeElement.matches('.words')`)
		} else {
			w.press("d")
		}
		w.press(strings.Split("a dry run first, any way you can", "")...)
		assert.Empty(t, w.posted())
		assert.Equal(t, "a dry run first, any way you can",
			eval[string](w, `document.querySelector('[data-call=call_1] .words').value`))
		w.press("Enter")
		assert.Equal(t, "deny call_1", w.posted())
		w.clean()
	}
}

// Whoever is saying why not when the call is answered elsewhere goes on typing words, and no keys.
func TestWordsStayWordsWhenTheirCallIsAnsweredElsewhere(t *testing.T) {
	s, w := waitOn(t, 2)
	request := eval[string](w, `document.querySelector('[data-call=call_1]').call.request.id`)
	w.refuseAnswers()
	w.press("d")
	w.press(strings.Split("a dr", "")...)
	s.do("ann", http.MethodPost, "/api/chat/approval", map[string]string{"request_id": request, "action": "deny"})
	w.shows(decision+"[data-call=call_1] .facts", "denied")
	w.press(strings.Split("y run, anyway, not this", "")...)
	assert.Empty(t, w.posted())
	w.press("Escape", "y")
	assert.Empty(t, w.posted(), "a first key goes to the other")
	w.press("y")
	assert.Equal(t, "approve call_2", w.posted())
	w.clean()
}
