package wire_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/agent/provider/wire"
)

// read returns the events of a stream as "name|data" and the error that ended it.
func read(r io.Reader) (events []string, err error) {
	for event, err := range wire.Events(r) {
		if err != nil {
			return events, err
		}
		events = append(events, event.Name+"|"+string(event.Data))
	}
	return events, nil
}

func TestEventsAreReadAsTheSpecificationSays(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		want         []string
	}{
		{"an event has a name and data", "event: a\ndata: {}\n\n", []string{"a|{}\n"}},
		{"the name is optional and comes in any order", "data: 1\nevent: b\n\ndata: 2\n\n", []string{"b|1\n", "|2\n"}},
		{"data may have several lines", "data: {\ndata:  1}\n\n", []string{"|{\n 1}\n"}},
		{"one space after the colon is left out", "data:1\n\ndata:  2\n\n", []string{"|1\n", "| 2\n"}},
		{"an empty data field is an event", "data\n\ndata:\n\n", []string{"|\n", "|\n"}},
		{"lines may end with CRLF", "event: a\r\ndata: 1\r\n\r\n", []string{"a|1\n"}},
		{"lines may end with CR", "event: a\rdata: 1\r\rdata:\r\r\n\n", []string{"a|1\n", "|\n"}},
		{"comments, ids and retry times are skipped", ": hi\nid: 7\nretry: 1\ndata: 1\n\n", []string{"|1\n"}},
		{"an event without data is none", "event: ping\n\ndata: 1\n\n", []string{"|1\n"}},
		{"blank lines between events are skipped", "\n\n\ndata: 1\n\n\n\ndata: 2\n\n", []string{"|1\n", "|2\n"}},
		{"an event that was cut off is dropped", "data: 1\n\nevent: a\ndata: 2\n", []string{"|1\n"}},
		{"an object that was cut off is dropped", "data: 1\n\nevent: a\ndata: {\"a", []string{"|1\n"}},
		{"an object is whole without the end of its event", "event: a\ndata: {}\n", []string{"a|{}\n"}},
		{"an object is whole without the end of its line", "data: 1\n\ndata: {}", []string{"|1\n", "|{}\n"}},
		{"a byte order mark at the start is skipped", "\xEF\xBB\xBFdata: 1\n\n", []string{"|1\n"}},
		{"an empty stream has no events", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(strings.NewReader(tt.stream))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got)

			got, err = read(iotest.OneByteReader(strings.NewReader(tt.stream)))
			require.NoError(t, err)
			assert.Equal(t, tt.want, got, "byte by byte")
		})
	}
}

func TestAFailedReadEndsTheEvents(t *testing.T) {
	broken := errors.New("connection reset")
	got, err := read(io.MultiReader(strings.NewReader("data: 1\n\ndata: 2\n"), iotest.ErrReader(broken)))
	require.ErrorIs(t, err, broken)
	assert.Equal(t, []string{"|1\n"}, got)
}

func TestALineIsReadUpToItsBound(t *testing.T) {
	line := "data: " + strings.Repeat("x", wire.MaxLine)
	got, err := read(strings.NewReader("data: 1\n\n" + line + "\n\n"))
	require.ErrorContains(t, err, "longer than 32 MiB")
	assert.Equal(t, []string{"|1\n"}, got)
}

func TestDoneEndsAStreamOfOpenAI(t *testing.T) {
	assert.True(t, wire.Event{Data: []byte("[DONE]\n")}.Done())
	assert.False(t, wire.Event{Data: []byte("{}\n")}.Done())
}

// FuzzEvents checks what holds of any stream: no event is empty, every line of data
// ends, the pieces in which the bytes arrive make no difference, and an event that is
// written again reads the same.
func FuzzEvents(f *testing.F) {
	answers, err := filepath.Glob("../../../testdata/providers/*/*/answer.http")
	require.NoError(f, err)
	require.NotEmpty(f, answers)
	for _, name := range answers {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		got, err := read(bytes.NewReader(stream))
		require.NoError(t, err)
		var again bytes.Buffer
		for event := range wire.Events(bytes.NewReader(stream)) {
			require.True(t, bytes.HasSuffix(event.Data, []byte("\n")))
			again.WriteString("event: " + event.Name + "\n")
			for line := range bytes.Lines(event.Data) {
				again.WriteString("data: " + string(line))
			}
			again.WriteString("\n")
		}
		slow, err := read(iotest.HalfReader(bytes.NewReader(stream)))
		require.NoError(t, err)
		assert.Equal(t, got, slow)
		rewritten, err := read(&again)
		require.NoError(t, err)
		assert.Equal(t, got, rewritten)
	})
}
