package web

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/session/export"
)

// An export of which a part has left cannot become an error any more.
func TestAnExportThatFailsBreaksOff(t *testing.T) {
	format := exportFormats["jsonl"]
	defer func() { exportFormats["jsonl"] = format }()
	for name, size := range map[string]int{"at once": 0, "after a part": 200_000} {
		broken := format
		broken.write = func(w io.Writer, _ export.Document) error {
			if size > 0 {
				_, err := io.WriteString(w, strings.Repeat("x", size))
				require.NoError(t, err)
			}
			return errors.New("the disk is full")
		}
		exportFormats["jsonl"] = broken
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if err := WriteExport(w, r, export.Document{}, "candor"); err != nil {
				w.WriteHeader(http.StatusInternalServerError)
			}
		}))
		resp, err := s.Client().Get(s.URL + "?format=jsonl")
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if size == 0 {
			assert.Equal(t, http.StatusInternalServerError, resp.StatusCode, name)
			assert.Empty(t, resp.Header.Get("Content-Disposition"), name)
		} else {
			assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s: %d bytes", name, len(body))
		}
		s.Close()
	}
}

// writes counts the writes of an answer. Each asserts something.
type writes struct {
	*httptest.ResponseRecorder
	count, longest int
	each           func()
}

func (w *writes) Write(p []byte) (int, error) {
	w.count, w.longest = w.count+1, max(w.longest, len(p))
	w.each()
	return w.ResponseRecorder.Write(p)
}

// A client may take its time to read an export.
func TestAnExportIsWrittenInPartsAndCountsBetweenThem(t *testing.T) {
	all := shares{perUser: 9}
	share := &answerShare{enter: func() (func(), error) { return all.enter(t.Context(), "ann") }}
	require.NoError(t, share.begin())
	w := &writes{ResponseRecorder: httptest.NewRecorder()}
	w.each = func() { assert.Empty(t, all.of("ann").slots, "while it leaves, another answer can be made") }
	r := httptest.NewRequestWithContext(context.WithValue(t.Context(), shareKey{}, share), http.MethodGet, "/", nil)
	out := newPacedWriter(w, r)
	for range 3 {
		_, err := out.Write([]byte("x"))
		require.NoError(t, err)
		assert.Len(t, all.of("ann").slots, 1, "the next part is being made")
	}
	share.end()
	assert.Empty(t, all.of("ann").slots)
	assert.Equal(t, 3, w.count)
}
