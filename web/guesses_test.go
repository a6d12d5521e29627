package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web"
)

func TestWhoseTextsHaveManySecretsOfOthersIsSlowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guesses := web.NewGuesses(slog.New(slog.DiscardHandler))
		do := writerOf(web.Options{Guesses: guesses})
		post := func(user, path string) int { return do(user, http.MethodPost, path, "{}").Code }
		for range 29 {
			guesses.Notice("ann", "a file")
		}
		assert.Equal(t, http.StatusNoContent, post("ann", "/mounted"), "some may be by chance")
		for range 11 {
			guesses.Notice("ann", "a file")
		}
		w := do("ann", http.MethodPost, "/mounted", "{}")
		assert.Equal(t, http.StatusTooManyRequests, w.Code)
		assert.Contains(t, w.Body.String(), "secrets of this server that are not yours")
		assert.Equal(t, "22", w.Header().Get("Retry-After"))
		assert.Equal(t, http.StatusTooManyRequests, post("ann", "/work"), "her workers wait, too")
		assert.Equal(t, http.StatusNoContent, post("bob", "/mounted"), "nobody else does")
		assert.Equal(t, http.StatusNoContent, do("ann", http.MethodGet, "/mounted", "").Code, "reading is free")
		assert.Equal(t, http.StatusNoContent, do("ann", http.MethodDelete, "/mounted", "").Code, "and deleting")
		assert.Equal(t, http.StatusNoContent, post("ann", "/interrupt"), "and stopping")
		time.Sleep(22 * time.Second)
		assert.Equal(t, http.StatusNoContent, post("ann", "/mounted"))
		for range 10_000 {
			guesses.Notice("ann", "a file")
		}
		assert.Equal(t, http.StatusTooManyRequests, post("ann", "/mounted"))
		assert.LessOrEqual(t, guesses.Wait("ann", time.Now()), 62*time.Second, "the wait is bounded")
		assert.EqualValues(t, 29+11+10_000, guesses.Total())
	})
}

func TestGuessesAreLoggedOnceAMinuteWithTheirNumber(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		guesses := web.NewGuesses(slog.New(slog.NewTextHandler(&log, nil)))
		for range 1000 {
			guesses.Notice("ann", "value 3 of a file")
			guesses.Notice("ann\x00lab\x00beta", "value 4 of a file")
		}
		assert.Equal(t, 2, strings.Count(log.String(), "\n"))
		assert.Contains(t, log.String(), `user=ann space="" secret="value 3 of a file" since_last_line=1`)
		assert.Contains(t, log.String(), `user=ann space=lab secret="value 4 of a file" since_last_line=1`)
		assert.NotContains(t, log.String(), "beta", "a name that a guest chose")
		time.Sleep(time.Minute)
		guesses.Notice("ann", "value 3 of a file")
		assert.Contains(t, log.String(), "since_last_line=1000")
	})
}
