package web

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session"
	"candor/web/access"
)

func TestAThrowawaySessionIsApartAndCanBeRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const own = "a-token-of-ann-0001"
		var tokens access.Tokens
		tokens.Add("ann", own)
		store := session.NewMemory(nil)
		var discarded []string
		srv := New(Options{Store: store, Tokens: tokens, Log: slog.New(slog.DiscardHandler),
			Discard: func(_ context.Context, user string) {
				discarded = append(discarded, user)
				_ = store.Remove(t.Context(), user)
			}})
		call := func(method, path, token string) *httptest.ResponseRecorder {
			r := httptest.NewRequest(method, "http://localhost"+path, strings.NewReader("{}"))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			srv.ServeHTTP(w, r)
			return w
		}
		open := func() (opened ThrowawaySession) {
			w := call(http.MethodPost, "/api/session/throwaway", own)
			require.Equal(t, http.StatusCreated, w.Code, w.Body)
			require.NoError(t, json.Unmarshal(w.Body.Bytes(), &opened))
			return opened
		}
		first := open()
		require.Equal(t, http.StatusCreated, call(http.MethodPost, "/api/chat/thread/new", first.Token).Code)
		assert.Contains(t, call(http.MethodGet, "/api/chat/threads", own).Body.String(), `"threads":[]`)
		assert.Equal(t, http.StatusUnauthorized, call(http.MethodPost, "/api/session/throwaway", first.Token).Code,
			"a throwaway session opens no other")
		assert.Equal(t, http.StatusConflict, call(http.MethodDelete, "/api/session/throwaway", own).Code,
			"nobody removes their own session by mistake")
		second := open()
		assert.Equal(t, []string{first.User}, discarded, "a user has one at a time")
		assert.Equal(t, http.StatusUnauthorized, call(http.MethodGet, "/api/chat/threads", first.Token).Code)
		assert.Equal(t, http.StatusNoContent, call(http.MethodDelete, "/api/session/throwaway", second.Token).Code)
		assert.Equal(t, []string{first.User, second.User}, discarded)
		assert.Equal(t, http.StatusUnauthorized, call(http.MethodGet, "/api/chat/threads", second.Token).Code)
		third := open()
		time.Sleep(throwawayLife) // fake time: in a bubble
		synctest.Wait()
		assert.Equal(t, http.StatusUnauthorized, call(http.MethodGet, "/api/chat/threads", third.Token).Code)
	})
}
