package copilot_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
	"candor/attach/attachtest"
	"candor/attach/copilot"
)

// TestASessionOfTheFirstVersionsIsRead holds for its own file, and for the row in which a later version took it over.
func TestASessionOfTheFirstVersionsIsRead(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "legacy.json"))
	require.NoError(t, err)
	var list []attach.Sighting
	r := copilot.NewLegacyReader()
	for range 2 { // nothing is new the second time
		for s, err := range r.Read(bytes.NewReader(raw[r.Offset():])) {
			require.NoError(t, err)
			list = append(list, s)
		}
	}
	assert.EqualValues(t, len(raw), r.Offset())
	assert.Equal(t, map[string]int{"timeline info": 1}, r.Report().Skipped)
	got := attachtest.JSON(t, list)
	const same = `{"agent":"copilot","session":"00000000-0000-4000-8000-00000000000a","channel":"file",`
	assert.Equal(t, `"about":{"model":"claude-sonnet-4.5"}}
"at":"2025-10-01T09:00:01Z","turn":"u1","prompted":{"text":"Which ports are open?"}}
"at":"2025-10-01T09:00:02Z","turn":"u1","group":"of-toolu_a","said":{"text":"I look at both."}}
"turn":"u1","group":"of-toolu_a","index":1,"call":"toolu_a","called":{"tool":"bash","params":{"command":"ss"}}}
"at":"2025-10-01T09:00:03Z","turn":"u1","call":"toolu_a","returned":{"result":"80"}}
"turn":"u1","group":"of-toolu_a","index":2,"call":"toolu_b","called":{"tool":"bash","params":{"command":"rm x"}}}
"at":"2025-10-01T09:00:04Z","turn":"u1","call":"toolu_b","returned":{"error":"No.","denied":true}}
"at":"2025-10-01T09:00:05Z","turn":"u1","group":"c2","said":{"text":"Port 80."}}
"at":"2025-10-01T09:00:05Z","turn":"u1","group":"c2","ended":{"answer":"Port 80."}}
"at":"2025-10-01T09:00:06Z","turn":"u2","prompted":{"text":"And?"}}
"at":"2025-10-01T09:00:07Z","turn":"u2","group":"t3","call":"toolu_c","called":{"tool":"view","params":{"path":"x"}}}
"at":"2025-10-01T09:00:07Z","turn":"u2","group":"t3","ended":{"error":"Too many requests"}}
`, strings.ReplaceAll(got, same, ""))

	var one bytes.Buffer
	require.NoError(t, json.Compact(&one, raw))
	later := begin + row("i", "session.import_legacy", `"legacySession":`+one.String())
	taken, _ := read(t, strings.Replace(later, `"s"`, `"00000000-0000-4000-8000-00000000000a"`, 1))
	assert.Equal(t, got, attachtest.JSON(t, taken))
}

// TestAFileThatIsNoSessionOfTheFirstVersionsIsLost holds that it is counted.
func TestAFileThatIsNoSessionOfTheFirstVersionsIsLost(t *testing.T) {
	for _, text := range []string{"{", "[]", "{}", `{"sessionId":"a b","timeline":[]}`,
		`{"sessionId":"s","timeline":7}`} {
		r := copilot.NewLegacyReader()
		for s := range r.Read(strings.NewReader(text)) {
			t.Errorf("given of %s: %+v", text, s)
		}
		assert.Equal(t, 1, r.Report().Malformed, text)
	}
	r := copilot.NewLegacyReader()
	for _, err := range r.Read(iotest.ErrReader(io.ErrUnexpectedEOF)) {
		require.True(t, errors.Is(err, io.ErrUnexpectedEOF))
	}
}
