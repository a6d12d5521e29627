//go:build realagents

package realtest

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach"
)

// inSchema is the property in a list of tools, which is the first one of its object.
const inSchema = `"rationale":{"type":"string",` +
	`"description":"One sentence: why this call now, and what you expect it to show."}`

// inCall is the property among the arguments of a call, as the client writes it.
var inCall = regexp.MustCompile(`"rationale":"Call (?:[^"\\]|\\.)*"`)

// withoutProperty takes the property out of a line as the client of the tests writes JSON: without white space.
func withoutProperty(line string) string {
	line = strings.ReplaceAll(line, `"properties":{`+inSchema+`},`, "") // of a schema that had no properties
	line = strings.ReplaceAll(line, inSchema+",", "")
	line = strings.ReplaceAll(line, inSchema, "")
	at := inCall.FindStringIndex(line)
	if at == nil {
		return line
	}
	before, after := line[:at[0]], line[at[1]:]
	if strings.HasPrefix(after, ",") {
		return before + after[1:]
	}
	return strings.TrimSuffix(before, ",") + after
}

// judgeFacts holds that each call was recorded once, with its reason if it had one, and with one end.
func judgeFacts(t *testing.T, reasons []string, c *candor) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	given, ends := []string{}, map[string]int{}
	calls := map[string]*attach.Called{}
	for _, s := range c.posted {
		assert.Equal(t, "test-client", s.Agent)
		assert.Equal(t, attach.Wrapper, s.Channel)
		switch {
		case s.Called != nil:
			assert.NotContains(t, calls, s.Call)
			calls[s.Call] = s.Called
			if s.Called.Reason != "" {
				given = append(given, s.Called.Tool+"\t"+s.Called.Reason)
			}
			assert.NotContains(t, string(s.Called.Params), "Call ", "no reason among the parameters")
		case s.Returned != nil:
			ends[s.Call]++
		}
	}
	assert.Equal(t, reasons, given)
	require.GreaterOrEqual(t, len(calls), 6)
	for call := range calls {
		assert.Equal(t, 1, ends[call], calls[call].Tool)
	}
	assert.NotNil(t, c.posted[0].About)
	assert.NotNil(t, c.posted[len(c.posted)-1].Ended)
}
