package wire

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzParse holds that any message is either refused with a code, or survives: its bytes are
// kept, and the completed envelope is read again as what it says.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"chat","payload":{"text":"hi"}}`,
		`{"protocol":"mew/v0.4","id":"a","from":"b","ts":"2026-01-02T15:04:05Z","kind":"reasoning/start"}`,
		`{"kind":"reasoning/thought","context":{"id":"c","parent":"p"},"payload":{"message":"m"}}`,
		`{"kind":"reasoning.thought","payload":{"context":{"operation":"push","correlation_id":["x"]}}}`,
		`{"kind":"mcp/request:tools/call","correlationId":"x"}`, `{"kind":"conclusion","to":"x"}`, ` { } `,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, raw []byte, drafts bool) {
		e, err := Parse(raw, Options{Drafts: drafts})
		if err != nil {
			_, ok := errors.AsType[*Refusal](err)
			require.True(t, ok)
			return
		}
		require.Equal(t, raw, e.Raw)
		full := e.Complete("id", "from", time.Unix(0, 0))
		again, err := Parse(full.Raw, Options{Drafts: drafts})
		require.NoError(t, err)
		require.True(t, full.TS.Equal(again.TS))
		require.NotEmpty(t, again.ID)
		full.TS, again.TS = time.Time{}, time.Time{}
		require.Equal(t, full, again)
		require.True(t, e.Payload == nil || json.Valid(e.Payload))
	})
}

// FuzzCapability holds that a capability survives being written, and that what is covered
// is allowed by whoever covers it.
func FuzzCapability(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"chat"}`, `{"kind":["mcp/*","!chat"]}`, `{"kind":"*","payload":{"a":["!x*",1,null,{"b":"*y*"}]}}`,
		`{"kind":"reasoning/step"}`,
	} {
		f.Add([]byte(seed), []byte(`{"kind":"mcp/*"}`), "chat", []byte(`{"a":"x"}`))
		f.Add([]byte(`{"kind":"*"}`), []byte(seed), "reasoning/thought", []byte(`{"a":{"b":"y"}}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte, kind string, payload []byte) {
		held, err := ParseCapability(a)
		if err != nil {
			return
		}
		out, err := held.MarshalJSON()
		require.NoError(t, err)
		again, err := ParseCapability(out)
		require.NoError(t, err)
		require.True(t, held.Equal(again))
		e := Envelope{Kind: kind}
		if json.Valid(payload) {
			e.Payload = payload
		}
		require.Equal(t, held.Allows(e), again.Allows(e))
		wanted, err := ParseCapability(b)
		if err == nil && Covers([]Capability{held}, wanted) && wanted.Allows(e) {
			assert.True(t, held.Allows(e), "%s covers %s but does not allow %s", a, b, kind)
		}
	})
}
