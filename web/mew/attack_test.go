package mew

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/web/access"
	"candor/web/mew/wire"
)

// refusalOf posts a message and returns the code with which it was refused, "" if it was not.
func (r *rig) refusalOf(who, body string) string {
	r.t.Helper()
	status, out := r.post(who, body)
	if status == http.StatusOK {
		return ""
	}
	code, _ := out["error"].(string)
	require.NotEmpty(r.t, code, out)
	return code
}

// opened posts a stream/request and returns the stream.
func (r *rig) opened(who string) string {
	r.t.Helper()
	status, out := r.post(who, `{"kind":"stream/request","payload":{"direction":"upload"}}`)
	require.Equal(r.t, http.StatusOK, status, out)
	id, _ := out["stream_id"].(string)
	return id
}

func TestAStreamHasNoOwnerMadeOfTwoNames(t *testing.T) {
	r := newRig(t)
	id := r.opened("alpha")
	for _, members := range []string{
		`"participant_id":"hum","new_owner":"an"`,
		`"participant_id":"human","new_owner":""`,
	} {
		body := fmt.Sprintf(`{"kind":"stream/transfer-ownership","payload":{"stream_id":%q,%s}}`, id, members)
		assert.Equal(t, string(codeNoParticipant), r.refusalOf("alpha", body), members)
	}
	body := fmt.Sprintf(
		`{"kind":"stream/grant-write","payload":{"stream_id":%q,"participant_id":"hu","new_owner":"man"}}`, id)
	assert.Equal(t, string(codeNoParticipant), r.refusalOf("alpha", body))
	r.join("beta") // whose welcome describes every stream
}

func TestTransfersMakeNoRoomForMoreStreams(t *testing.T) {
	r := newRig(t)
	transfer := func() string {
		return r.refusalOf("alpha", fmt.Sprintf(
			`{"kind":"stream/transfer-ownership","payload":{"stream_id":%q,"new_owner":"human"}}`, r.opened("alpha")))
	}
	for range maxStreams {
		require.Empty(t, transfer())
	}
	assert.Equal(t, string(codeTooMany), transfer())
}

func TestNobodyIsInvitedUnderTheNameOfTheOwner(t *testing.T) {
	r := newRig(t)
	assert.Equal(t, string(codeTaken), r.refusalOf("human",
		`{"kind":"space/invite","payload":{"participant_id":"ann","initial_capabilities":[{"kind":"chat"}]}}`))
	assert.Empty(t, r.refusalOf("human", `{"kind":"space/invite","payload":{"participant_id":"anna"}}`))
}

func TestAPayloadSaysTheSameToTheGatewayAndToItsPattern(t *testing.T) {
	r := newRig(t)
	only := `{"kind":"capability/grant","payload":{"recipient":"alpha","capabilities":[
		{"kind":"chat"},{"kind":"capability/grant","payload":{"recipient":"beta"}}]}}`
	require.Empty(t, r.refusalOf("human", only))
	for _, recipients := range []string{
		`"recipient":"beta","Recipient":"human"`,
		`"recipient":"beta","recıpient":"human"`,
		`"recipient":"beta","recipient":"human"`,
		`"recipient":"human","recipient":"beta"`,
		`"recipient":"human","\u0072ecipient":"beta"`,
	} {
		code := r.refusalOf("alpha",
			`{"kind":"capability/grant","payload":{`+recipients+`,"capabilities":[{"kind":"chat"}]}}`)
		sp := r.lab()
		sp.mu.Lock()
		assert.Empty(t, sp.members["human"].granted, recipients)
		if strings.Count(recipients, "ecipient") == 2 && !strings.Contains(recipients, "R") {
			assert.Equal(t, string(wire.CodeInvalid), code, recipients)
		}
		sp.mu.Unlock()
	}
}

// lockProbe notes whether the space's lock is free while an answer is written.
type lockProbe struct {
	*httptest.ResponseRecorder
	space *space
	free  bool
}

func (p *lockProbe) Write(b []byte) (int, error) {
	if p.free = p.space.mu.TryLock(); p.free {
		p.space.mu.Unlock()
	}
	return p.ResponseRecorder.Write(b)
}

func TestAReaderWhoTakesNoAnswerHoldsUpNobody(t *testing.T) {
	r := newRig(t)
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/mew/participants/alpha/messages", nil)
	request.SetPathValue("id", "alpha")
	request.Header.Set("Authorization", "Bearer "+tokenFor("alpha"))
	ctx, _, err := r.gateway.admitReader(request)
	require.NoError(t, err)
	request = request.WithContext(ctx)
	probe := &lockProbe{ResponseRecorder: httptest.NewRecorder(), space: r.lab()}
	for name, serve := range map[string]func() error{
		"messages":     func() error { return r.gateway.messages(probe, request, access.Caller{}) },
		"participants": func() error { return r.gateway.participants(probe, request, access.Caller{}) },
	} {
		require.NoError(t, serve(), name)
		assert.True(t, probe.free, name)
	}
}

func TestAnEventStreamEndsWithTheTokenThatOpenedIt(t *testing.T) {
	r := newRig(t)
	sp := r.lab()
	who, _ := r.gateway.tokens.lookup(tokenFor("beta"))
	from := caller{tokenOwner: who}
	leave, err := sp.startReading(&from)
	require.NoError(t, err)
	defer leave()
	read := feed{server: r.gateway, space: sp, who: from}
	_, _, open := read.next()
	assert.True(t, open)
	status, _ := r.call(http.MethodDelete, "/api/mew/spaces/lab/participants/beta", tokenFor("ann"), "")
	require.Equal(t, http.StatusOK, status)
	status, _ = r.call(http.MethodPost, "/api/mew/spaces/lab/participants", tokenFor("ann"),
		`{"id":"beta","capabilities":[]}`)
	require.Equal(t, http.StatusCreated, status)
	_, _, open = read.next()
	assert.False(t, open, "a new participant of the same name is another one")
}

func TestWhatIsNoMessageHasARate(t *testing.T) {
	for name, text := range map[string]string{
		"joins that are repeated": `{"type":"join"}`,
		"frames of no stream":     `#`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			s := r.join("beta")
			l := func() *link {
				sp := r.lab()
				sp.mu.Lock()
				defer sp.mu.Unlock()
				for l := range sp.links {
					return l
				}
				return nil
			}()
			_ = s
			// A slow machine is no slower than this, so that only the burst passes.
			l.member.pace.all.SetLimit(1)
			l.member.pace.frames.SetLimit(1)
			var err error
			for range 2 * frameRate {
				if err = l.handle(1, []byte(text)); err != nil && asRefusal(err).Code == wire.CodeRate {
					return
				}
			}
			t.Error("all of them passed")
		})
	}
	_, ok := parseJoin([]byte(`{"type":"join","x":"` + strings.Repeat("x", maxJoin) + `"}`))
	assert.False(t, ok, "a long message is none, so that it is read once")
}

func TestTheCapabilitiesOfAParticipantAreBoundedInBytes(t *testing.T) {
	r := newRig(t)
	big := fmt.Sprintf(`{"kind":"chat","payload":{"text":%q}}`, strings.Repeat("x", 4000))
	many := strings.TrimSuffix(strings.Repeat(big+",", 9), ",")
	assert.Equal(t, string(wire.CodeInvalid), r.refusalOf("human",
		`{"kind":"space/invite","payload":{"participant_id":"p","initial_capabilities":[`+many+`]}}`))
	grant := func() string {
		return r.refusalOf("human",
			`{"kind":"capability/grant","payload":{"recipient":"beta","capabilities":[`+big+`]}}`)
	}
	for range 7 {
		require.Empty(t, grant())
	}
	grant()
	assert.Equal(t, string(codeTooMany), grant())
}

func TestIdsKeepNobodyWhoIsGone(t *testing.T) {
	ids, first, second := newIDSet(), &member{number: 1, visits: 1}, &member{number: 2, visits: 2}
	ids.add("a", first)
	assert.True(t, ids.taken("a", second), "of another, even of the same name")
	assert.Equal(t, use{by: 1, visit: 1}, ids.known[ids.order[0]], "a number, not the participant")
}

func TestInvitationsAndKicksDoNotFillTheOwnersSession(t *testing.T) {
	r := newRig(t)
	sp := r.lab()
	sp.mu.Lock()
	sp.numbered = maxEver - 1
	sp.mu.Unlock()
	invite := func() string {
		return r.refusalOf("human", `{"kind":"space/invite","payload":{"participant_id":"p"}}`)
	}
	assert.Empty(t, invite())
	assert.Empty(t, r.refusalOf("human", `{"kind":"space/kick","payload":{"participant_id":"p"}}`))
	assert.Equal(t, string(codeTooMany), invite())
	status, _ := r.call(http.MethodPost, "/api/mew/spaces/lab/participants", tokenFor("ann"),
		`{"id":"p","capabilities":[]}`)
	assert.Equal(t, http.StatusCreated, status, "the owner of the space goes on")
}
