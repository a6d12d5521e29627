package mcp

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const message = `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n"

func TestOnlyMessagesAreRead(t *testing.T) {
	long := `{"jsonrpc":"2.0","id":2,"result":"` + strings.Repeat("x", 100<<10) + "\"}\r\n"
	for _, tt := range []struct {
		name, written, read string
		noise               int
	}{
		{"messages", message + long + message, message + long + message, 0},
		{"a batch", "[" + message[:len(message)-1] + "]\n", "[" + message[:len(message)-1] + "]\n", 0},
		{"blank lines", "\n \r\n" + message, message, 0},
		{"a banner", "Welcome to {the} server\n\x1b[1mhi\n" + message, message, 2},
		{
			"a log", "[INFO] started\n" + message + `{"level":"info","msg":"started"}` + "\n" + message,
			message + message, 2,
		},
		{"a long banner with a message in it", strings.Repeat("x", 100<<10) + message + message, message, 26},
		{"a message over several lines", "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 1,\n  \"result\": {\n  }\n}\n" +
			message,
			message + message, 0},
		{"the beginning of one, and then a message", "{\n  \"a\": 1\n" + message, message, 1},
		{"an object of a log over several lines", "{\n  \"level\": 1\n}\n" + message, message, 1},
		{"brackets without end", strings.Repeat("[\n", 3) + "x\n" + message, message, 1},
		{"a message without its end", message + strings.TrimSpace(message), message + strings.TrimSpace(message), 0},
		{"a banner without its end", message + "bye", message, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, from := range []io.Reader{
				strings.NewReader(tt.written), iotest.OneByteReader(strings.NewReader(tt.written)),
			} {
				noise := 0
				got, err := io.ReadAll(iotest.HalfReader(newMessageReader(from, func(error) {}, func() { noise++ })))
				require.NoError(t, err)
				assert.Equal(t, tt.read, string(got))
				assert.Equal(t, tt.noise, noise)
			}
		})
	}
}

// repeated is a text without end, of which the tests read some.
type repeated string

func (r repeated) Read(b []byte) (int, error) { return copy(b, r), nil }

func TestOutputWithoutEndIsNotRead(t *testing.T) {
	ignore, told := func() {}, ""
	lost := func(err error) { told = err.Error() }
	_, err := io.ReadAll(newMessageReader(io.LimitReader(repeated("y\n"), 4*maxNoise), lost, ignore))
	require.EqualError(t, err, "it writes something else than MCP messages to its output, without end")
	assert.Equal(t, err.Error(), told)
	_, err = io.ReadAll(newMessageReader(io.LimitReader(repeated("{y"), 4*maxMessage), lost, ignore))
	require.EqualError(t, err, "it sent a message of more than 16777216 bytes")

	some := strings.Repeat("y", maxNoise-10) + "\n" + message
	got, err := io.ReadAll(newMessageReader(strings.NewReader(strings.Repeat(some, 3)), lost, ignore))
	require.NoError(t, err, "a server that logs to its output for months is not cut off")
	assert.Equal(t, strings.Repeat(message, 3), string(got))
}
