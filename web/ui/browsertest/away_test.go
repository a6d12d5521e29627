package page_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const waiting = "candor-waiting li"

// loseAnswers lets the server take every message and loses its answer, once the stream has shown the
// turn; loseMessages loses the message.
const (
	loseAnswers = `(() => {
		const real = window.fetch;
		window.fetch = async (path, how) => {
			const turns = () => document.querySelectorAll('candor-turn').length, before = turns();
			const answer = await real(path, how);
			if (!String(path).includes('/chat/send')) return answer;
			while (turns() === before) await new Promise(requestAnimationFrame);
			throw new TypeError('the line was cut');
		};
		return true; })()`
	loseMessages = `(() => {
		const real = window.fetch;
		window.fetch = async (path, how) => {
			if (String(path).includes('/chat/send')) throw new TypeError('the line was cut');
			return real(path, how);
		};
		return true; })()`
)

// startKept runs a server that keeps its sessions, with answers to these messages.
func startKept(t *testing.T, messages ...string) *server {
	t.Helper()
	s := startServer(t, "--data", t.TempDir())
	for _, m := range messages {
		s.on(m, reply{Text: "Answer to " + m + "."})
	}
	return s
}

// inputs returns what was said in ann's active thread, turn by turn.
func (s *server) inputs() []string {
	s.t.Helper()
	thread := s.do("ann", http.MethodGet, "/api/chat/threads", nil)["active_thread"].(string)
	var out []string
	for _, turn := range s.do("ann", http.MethodGet, "/api/chat/history?thread_id="+thread, nil)["turns"].([]any) {
		out = append(out, turn.(map[string]any)["user_input"].(string))
	}
	return out
}

// answered waits until the page shows the answer to a message and nothing waits any more.
func (w *tab) answered(message string) {
	w.t.Helper()
	w.shows("candor-turn .answer", "Answer to "+message+".")
	w.until("nothing waits", `!document.querySelector('candor-waiting li')`)
}

func TestMessagesWrittenWhileTheServerIsAwayAreSentInOrder(t *testing.T) {
	s := startKept(t, "before", "one", "two")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	s.kill()
	w.send("one")
	w.shows(waiting, "one")
	w.shows(waiting, "once the server is back")
	w.send("two")
	w.shows(waiting, "two")
	s.start()
	w.answered("two")
	assert.Equal(t, []string{"before", "one", "two"}, s.inputs())
	assert.Equal(t, 3, eval[int](w, `document.querySelectorAll('candor-turn').length`))
	w.clean()
}

// The answers to two messages are lost, of which the second has a secret that the server masks: the page finds both
// among the turns before it would send them again.
func TestAMessageThatTheServerTookIsNotSentAgain(t *testing.T) {
	secret := "postgres://app:" + strings.Repeat("x7Kq2", 3) + "@db.internal/app"
	s := startKept(t, "before", "again")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	eval[bool](w, loseAnswers)
	w.send("again")
	w.shows(waiting, "again")
	w.send("look into " + secret + " again")
	w.shows(waiting, "look into")
	eventually(t, "the server has the first", func() bool { return len(s.inputs()) == 2 })
	s.kill()
	w.shows("#link", "Reconnecting")
	s.start()
	w.until("nothing waits", `!document.querySelector('candor-waiting li')`)
	got := s.inputs()
	require.Len(t, got, 3, "%q", got)
	assert.Equal(t, "again", got[1])
	assert.Regexp(t, `^look into .*\[REDACTED:.*again$`, got[2])
	w.clean()
}

func TestAWaitingMessageIsEditedOrCancelled(t *testing.T) {
	s := startKept(t, "before", "right")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	s.kill()
	w.send("wrong")
	w.shows(waiting, "wrong")
	w.send("never")
	w.shows(waiting, "never")
	w.click("[aria-label='Cancel the message never']", "Cancel")
	w.gone(waiting, "never")
	w.click("[aria-label='Edit the message wrong']", "Edit")
	w.until("it is in the field", `document.activeElement.value === 'wrong' && !document.querySelector(%s)`, waiting)
	eval[bool](w, `(document.activeElement.select(), true)`)
	w.write("right")
	w.press("Enter")
	w.shows(waiting, "right")
	s.start()
	w.answered("right")
	assert.Equal(t, []string{"before", "right"}, s.inputs())
	w.clean()
}

// More than five messages are refused, and the text of the sixth stays in the field.
func TestMessagesOfAConversationThatIsYetToBeginBecomeOne(t *testing.T) {
	s := startKept(t, "one", "two")
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	s.kill()
	for n := range 5 {
		w.send([]string{"one", "two", "three", "four", "five"}[n])
		w.until("it waits", `document.querySelectorAll('candor-waiting li').length === %s`, n+1)
	}
	w.send("six")
	w.shows("#send-problem", "5 messages already wait for the server")
	w.until("it stays in the field", `document.querySelector('#message').value === 'six'`)
	for _, m := range []string{"three", "four", "five"} {
		cancel := fmt.Sprintf("[aria-label='Cancel the message %s']", m)
		w.click(cancel, "Cancel")
		w.until("it waits no more", `!document.querySelector(%s)`, cancel)
	}
	s.start()
	w.answered("two")
	assert.Equal(t, []string{"one", "two"}, s.inputs())
	assert.Len(t, s.do("ann", http.MethodGet, "/api/chat/threads", nil)["threads"], 1)
	w.clean()
}

func TestAWaitingMessageOutlivesAReload(t *testing.T) {
	s := startKept(t, "before", "kept")
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	eval[bool](w, loseMessages)
	w.send("kept")
	w.shows(waiting, "kept")
	w.run(chromedp.Reload())
	w.answered("kept")
	assert.Equal(t, []string{"before", "kept"}, s.inputs())
	assert.Zero(t, eval[int](w, `sessionStorage.length`), "it is not needed any more")
	w.clean()
}

func TestAWaitingMessageIsNobodyElses(t *testing.T) {
	s := startKept(t)
	w := window(t).open(s, "ann")
	w.shows("#link", "Live")
	eval[bool](w, loseMessages)
	w.send("for ann alone")
	w.shows(waiting, "for ann alone")
	eval[bool](w, `(window.mark = 1, true)`)
	w.open(s, "bob")
	w.until("the page was loaded anew", `!window.mark && document.querySelector('#link')?.innerText === 'Live'`)
	assert.Equal(t, "", eval[string](w, `JSON.stringify(Object.values(sessionStorage)).replace('[]', '')`))
	assert.NotContains(t, w.text("body"), "for ann alone")
	w.clean()
}

func TestAServerWithoutAFolderLosesTheConversationAndNotTheWaitingMessage(t *testing.T) {
	s := startServer(t)
	s.on("before", reply{Text: "Answer to before."})
	s.on("meanwhile", reply{Text: "Answer to meanwhile."})
	w := window(t).open(s, "ann")
	w.send("before")
	w.answered("before")
	s.kill()
	w.send("meanwhile")
	w.shows(waiting, "once the server is back")
	assert.NotContains(t, eval[string](w, `document.querySelector('#link').title`), "nothing is lost")
	s.start()
	w.shows(waiting, "The server refused it")
	w.shows("main", "Conversation not found")
	w.click("[aria-label='Edit the message meanwhile']", "Edit")
	w.until("a new conversation begins with it", `document.activeElement.value === 'meanwhile'`)
	w.press("Enter")
	w.answered("meanwhile")
	w.clean()
}
