package web

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/access"
)

// rater notes what it was told, and fails as it is told to.
type rater struct {
	told []string
	fail error
}

// Rate implements Rater.
func (r *rater) Rate(
	_ context.Context, user string, ref session.Ref, call string, rating session.Rating, note string,
) error {
	r.told = append(r.told, fmt.Sprintf("%s %s/%d %s %s %q", user, ref.Thread, ref.Turn, call, rating, note))
	return r.fail
}

// postRating posts a body as ann and returns the answer.
func postRating(t *testing.T, r *rater, body string) *httptest.ResponseRecorder {
	t.Helper()
	var tokens access.Tokens
	tokens.Add("ann", strings.Repeat("a", access.MinToken))
	o := Options{Store: session.NewMemory(nil), Tokens: tokens, Log: slog.New(slog.DiscardHandler)}
	if r != nil {
		o.Feedback = r
	}
	req := httptest.NewRequest(http.MethodPost, "http://localhost/api/chat/feedback", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+strings.Repeat("a", access.MinToken))
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	New(o).ServeHTTP(w, req)
	return w
}

func TestARatingIsOneOfThreeWithAShortNote(t *testing.T) {
	of := func(rating, note string) string {
		return fmt.Sprintf(`{"thread_id":"t","turn_number":2,"call_id":"call_1","rating":%q,"note":%q}`, rating, note)
	}
	long := strings.Repeat("ä", maxNote)
	for name, c := range map[string]struct{ body, told, code string }{
		"good":               {of("good", ""), `ann t/2 call_1 good ""`, ""},
		"bad, with spaces":   {of("bad", "  too much "), `ann t/2 call_1 bad "too much"`, ""},
		"withdrawn":          {of("none", ""), `ann t/2 call_1 none ""`, ""},
		"with a long note":   {of("good", long), `ann t/2 call_1 good "` + long + `"`, ""},
		"with a longer note": {of("good", long+"x"), "", "bad_note"},
		"withdrawn, and why": {of("none", "x"), "", "bad_note"},
		"of another kind":    {of("great", ""), "", "bad_rating"},
		"without a rating":   {`{"thread_id":"t","turn_number":2,"call_id":"call_1"}`, "", "bad_rating"},
		"that is no JSON":    {"good", "", "invalid_json"},
	} {
		t.Run(name, func(t *testing.T) {
			r := &rater{}
			w := postRating(t, r, c.body)
			var got struct{ Error, Status string }
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &got))
			assert.Equal(t, c.code, got.Error)
			assert.Equal(t, c.told, strings.Join(r.told, "\n"))
			if c.code == "" {
				assert.Equal(t, http.StatusOK, w.Code)
				assert.Equal(t, "recorded", got.Status)
			}
		})
	}
}

func TestARatingThatCannotBeRecordedSaysWhy(t *testing.T) {
	const body = `{"thread_id":"t","turn_number":2,"call_id":"call_1","rating":"good"}`
	for code, c := range map[string]struct {
		fail   error
		status int
	}{
		"no_thread":        {session.ErrNoThread, http.StatusNotFound},
		"no_turn":          {session.ErrNoTurn, http.StatusNotFound},
		"no_call":          {fmt.Errorf("turn 2: %w", session.ErrNoCall), http.StatusNotFound},
		"turn_dropped":     {session.ErrDropped, http.StatusGone},
		"too_many_ratings": {session.ErrTooManyRatings, http.StatusConflict},
	} {
		t.Run(code, func(t *testing.T) {
			w := postRating(t, &rater{fail: c.fail}, body)
			assert.Equal(t, c.status, w.Code)
			assert.Contains(t, w.Body.String(), `"`+code+`"`)
		})
	}
	assert.Equal(t, http.StatusNotFound, postRating(t, nil, body).Code, "of a server that takes no feedback")
}
