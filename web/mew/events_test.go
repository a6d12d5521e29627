package mew

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// eventStream is a client of /mew/events in a test.
type eventStream struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  context.CancelFunc
}

// event is a block of an event stream.
type event struct{ id, name, data string }

// follow opens an event stream after the position last, or "".
func (r *rig) follow(token, query, last string) *eventStream {
	r.t.Helper()
	// An event that is missing fails the test after this time.
	ctx, stop := context.WithTimeout(r.t.Context(), 2*time.Minute)
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.http.URL+"/mew/events?space=lab"+query, nil)
	require.NoError(r.t, err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Last-Event-ID", last)
	response, err := r.http.Client().Do(request)
	require.NoError(r.t, err)
	require.Equal(r.t, http.StatusOK, response.StatusCode)
	r.t.Cleanup(func() {
		stop()
		_ = response.Body.Close()
	})
	return &eventStream{r.t, bufio.NewScanner(response.Body), stop}
}

// next returns the next event; its name is "" at the end of the stream.
func (s *eventStream) next() (e event) {
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch {
		case name == "id":
			e.id = value
		case name == "event":
			e.name = value
		case name == "data":
			e.data = value
		case s.lines.Text() == "" && e.name != "":
			return e
		}
	}
	return event{}
}

// ids returns the ids of the next messages of the stream.
func (s *eventStream) ids(n int) (all []string) {
	s.t.Helper()
	for range n {
		e := s.next()
		require.Equal(s.t, "envelope", e.name, "%+v", e)
		all = append(all, decoded(s.t, e.data).ID)
	}
	return all
}

func (r *rig) chat(who, id string) {
	r.t.Helper()
	status, answer := r.post(who, fmt.Sprintf(`{"id":%q,"kind":"chat","payload":{"text":"t"}}`, id))
	require.Equal(r.t, http.StatusOK, status, answer)
}

func TestAnEventStreamGoesOnWhereItWasCutOff(t *testing.T) {
	r := newRig(t)
	s := r.follow(tokenFor("beta"), "", "")
	position := s.next()
	assert.Equal(t, "position", position.name)
	r.chat("alpha", "m-1")
	r.chat("alpha", "m-2")
	first := s.next()
	assert.Equal(t, "m-1", decoded(t, first.data).ID)
	s.stop()
	r.chat("alpha", "m-3")
	assert.Equal(t, []string{"m-2", "m-3"}, r.follow(tokenFor("beta"), "", first.id).ids(2))
	assert.Equal(t, []string{"m-1", "m-2"}, r.follow(tokenFor("beta"), "", position.id).ids(2))
	assert.Equal(t, []string{"m-2"}, r.follow(tokenFor("beta"), "&lastEventId="+first.id, "").ids(1))
	assert.Equal(t, []string{"m-1"}, r.follow(tokenFor("ann"), "", position.id).ids(1), "the owner may read, too")
}

func TestAPositionThatIsGoneGetsAResyncAndWhatIsLeft(t *testing.T) {
	r := newRig(t)
	r.chat("alpha", "m-1")
	r.chat("alpha", "m-2")
	sp := r.lab()
	sp.mu.Lock()
	before := sp.cursor(0).String()
	sp.history.drop()
	sp.mu.Unlock()
	for name, last := range map[string]string{
		"dropped": before, "of another life": "00000000-1", "in the future": sp.cursor(99).String(), "nonsense": "x",
	} {
		s := r.follow(tokenFor("beta"), "", last)
		first := s.next()
		assert.Equal(t, "resync", first.name, name)
		assert.Equal(t, `{"dropped_messages":1}`, first.data, name)
		assert.Equal(t, []string{"m-2"}, s.ids(1), name)
		s.stop()
	}
}

func TestAMessageOfSeveralLinesIsOneEvent(t *testing.T) {
	r := newRig(t)
	s := r.follow(tokenFor("beta"), "", "")
	require.Equal(t, "position", s.next().name)
	status, _ := r.post("alpha", "{\"kind\":\"chat\",\n\"payload\":{\"text\":\"a\\nb\"}}")
	require.Equal(t, http.StatusOK, status)
	assert.Equal(t, "a\nb", decoded(t, s.next().data).Payload["text"])
}

func TestAnEventStreamEndsWithItsReadersPart(t *testing.T) {
	r := newRig(t)
	beta, ann := r.follow(tokenFor("beta"), "", ""), r.follow(tokenFor("ann"), "", "")
	require.Equal(t, "position", beta.next().name)
	require.Equal(t, "position", ann.next().name)
	r.call(http.MethodDelete, "/api/mew/spaces/lab/participants/beta", tokenFor("ann"), "{}")
	for e := beta.next(); e.name != ""; e = beta.next() {
		assert.NotContains(t, e.data, "after")
	}
	assert.Contains(t, ann.next().data, "leave")
	r.call(http.MethodDelete, "/api/mew/spaces/lab", tokenFor("ann"), "{}")
	assert.Empty(t, ann.next().name)
}

// filtered are messages of all places of a space, by id.
var filtered = []struct{ id, message string }{
	{"chat", `"kind":"chat","payload":{"text":"t"}`},
	{"s", `"kind":"reasoning/start"`},
	{"s-thought", `"kind":"reasoning/thought","context":"s"`},
	{"sub", `"kind":"reasoning/start","context":"s"`},
	{"sub-thought", `"kind":"reasoning/thought","context":"s/sub"`},
	{"s-call", `"kind":"mcp/request","context":"s","payload":{"method":"x"}`},
	{"s-to-beta", `"kind":"reasoning/thought","context":"s","to":["beta"]`},
	{"flow", `"kind":"chat","context":{"id":"w","type":"workflow"},"payload":{"text":"t"}`},
	{"child", `"kind":"chat","context":{"id":"c","type":"workflow","parent":"w"},"payload":{"text":"t"}`},
	{"s-end", `"kind":"reasoning/conclusion","context":"s"`},
	{"sx", `"kind":"reasoning/thought","context":"sx"`},
}

func TestFiltersChooseWhatAReaderGets(t *testing.T) {
	const always = "s-call s-to-beta"
	for _, tt := range []struct{ name, query, want string }{
		{"nothing", "", "chat s s-thought sub sub-thought s-call s-to-beta flow child s-end sx"},
		{"a context exactly", "&context=s", "s s-thought sub " + always + " s-end"},
		{"a context and all below", "&context=s/*", "s s-thought sub sub-thought " + always + " s-end"},
		{"a context below", "&context=s/sub", "sub sub-thought " + always},
		{"an object's parent", "&context=w/*", always + " flow child"},
		{"two contexts", "&context=sx&context=s/sub", "sub sub-thought " + always + " sx"},
		{"the main context", "&view=main", "chat s " + always},
		{"conclusions", "&view=conclusions", always + " s-end"},
		{"a type", "&type=workflow", "chat s " + always + " flow child"},
		{"the type of contexts without one", "&type=reasoning",
			"chat s s-thought sub sub-thought " + always + " s-end sx"},
		{"a view of a context", "&view=conclusions&context=sx", always},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			events := r.follow(tokenFor("beta"), tt.query, "")
			require.Equal(t, "position", events.next().name)
			beta := r.join("beta", tt.query)
			for _, m := range filtered {
				status, answer := r.post("human", fmt.Sprintf(`{"id":%q,%s}`, m.id, m.message))
				require.Equal(t, http.StatusOK, status, answer)
			}
			_, page := r.call(http.MethodGet, "/mew/participants/beta/messages?"+tt.query, tokenFor("beta"), "")
			var overHTTP []string
			for _, m := range page["messages"].([]any) {
				if m := m.(map[string]any); m["kind"] != "system/presence" {
					overHTTP = append(overHTTP, m["id"].(string))
				}
			}
			want := strings.Fields(tt.want)
			assert.Equal(t, want, overHTTP, "GET")
			var overSocket, overEvents []string
			r.post("human", `{"id":"last","kind":"mcp/request","payload":{"method":"x"}}`)
			for m := beta.read(); m.ID != "last"; m = beta.read() {
				overSocket = append(overSocket, m.ID)
			}
			assert.Equal(t, want, overSocket, "socket")
			require.Contains(t, events.next().data, "presence")
			for m := decoded(t, events.next().data); m.ID != "last"; m = decoded(t, events.next().data) {
				overEvents = append(overEvents, m.ID)
			}
			assert.Equal(t, want, overEvents, "event stream")
		})
	}
}

func TestAReaderWhoHasSeenEverythingGoesOnWithoutAResync(t *testing.T) {
	r := newRig(t)
	r.chat("beta", "m-1")
	at := r.follow(tokenFor("human"), "", "").next()
	require.Equal(t, "position", at.name)
	s := r.follow(tokenFor("human"), "", at.id)
	r.chat("beta", "m-2")
	assert.Equal(t, "envelope", s.next().name)
	beyond := at.id[:strings.LastIndexByte(at.id, '-')+1] + "999999"
	assert.Equal(t, "resync", r.follow(tokenFor("human"), "", beyond).next().name)
}

func TestAPageMayOpenASocketIfItIsOfThisServer(t *testing.T) {
	s := &Server{options: Options{Origins: []string{"https://page.example"}}}
	for origin, allowed := range map[string]bool{
		"": true, "https://page.example": true, "http://Candor.Example:80": true, "https://candor.example:80": true,
		"https://other.example": false, "http://candor.example:81": false, "http://%zz": false, "null": false,
	} {
		request := httptest.NewRequest(http.MethodGet, "http://candor.example:80/mew/ws", nil)
		request.Header.Set("Origin", origin)
		assert.Equal(t, allowed, s.allowsOrigin(request), origin)
	}
}

func TestAMessageMayBeAsLargeAsItIsAllowed(t *testing.T) {
	r := newRig(t)
	around := len(`{"kind":"chat","payload":{"text":""}}`)
	fits := `{"kind":"chat","payload":{"text":"` + strings.Repeat("x", MaxMessage-around) + `"}}`
	sp := r.lab()
	sp.mu.Lock()
	m := sp.members["alpha"]
	sp.mu.Unlock()
	_, _, err := sp.say(m, []byte(fits))
	assert.NoError(t, err)
	_, _, err = sp.say(m, []byte(fits+" "))
	assert.ErrorIs(t, err, tooLarge)
}
