package openai

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFirstModelReturnsTheFirstOfTheList(t *testing.T) {
	for _, tt := range []struct {
		name, body, want, err string
		status                int
	}{
		{"the first of a list", `{"object":"list","data":[{"id":"qwen3:8b"},{"id":"other"}]}`, "qwen3:8b", "", 200},
		{"an empty list", `{"data":[]}`, "", "the list is empty", 200},
		{"HTML instead of a list", `<html>`, "", "its answer was no list of models", 200},
		{"a redirect", ``, "", "it answered with status 307", 307},
		{"a success without a list", ``, "", "it answered with status 204", 204},
		{"a refusal without its words", `bad key secret-words`, "", "it answered with status 401", 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				assert.Equal(t, "/v1/models", r.URL.Path)
				assert.Equal(t, "Bearer k", r.Header.Get("Authorization"))
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			defer srv.Close()
			got, err := FirstModel(t.Context(), Options{BaseURL: srv.URL + "/v1/", Key: " k "})
			if tt.err != "" {
				require.EqualError(t, err, tt.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)
		})
	}
	_, err := FirstModel(t.Context(), Options{BaseURL: "http://127.0.0.1:1/v1"})
	require.EqualError(t, err, "there was no answer")
	_, err = FirstModel(t.Context(), Options{BaseURL: "http://" + testKey() + "\x7f"})
	require.EqualError(t, err, "the base URL is no URL")
}
