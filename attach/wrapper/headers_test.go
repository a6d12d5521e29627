package wrapper

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// modern returns a request of the newer revisions.
func modern(method, params string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
}

// TestARequestsHeadersSayWhatStandsInIt holds that each request of a newer revision has the headers that servers over
// HTTP want beside it, those that a tool's schema asks for included, and that others have none.
func TestARequestsHeadersSayWhatStandsInIt(t *testing.T) {
	p := newPair(Options{})
	p.list(t, `{"name":"dig","inputSchema":{"type":"object","properties":{"where":{"type":"string",`+
		`"x-mcp-header":"Place"},`+
		`"how":{"type":"object","properties":{"deep":{"type":"integer","x-mcp-header":"Depth"},`+
		`"now":{"type":"boolean","x-mcp-header":"Now"}}},"bad":{"type":"string","x-mcp-header":"no name"}}}}`)
	for name, tt := range map[string]struct {
		message string
		want    map[string]string
	}{
		"a list": {modern("tools/list", ""), map[string]string{"Mcp-Method": "tools/list"}},
		"a call": {modern("tools/call", `"name":"echo","arguments":{},`),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "echo"}},
		"a resource": {modern("resources/read", `"uri":"file:///ä",`),
			map[string]string{"Mcp-Method": "resources/read", "Mcp-Name": "=?base64?ZmlsZTovLy/DpA==?="}},
		"a task": {modern("tasks/get", `"taskId":"t1",`), map[string]string{"Mcp-Method": "tasks/get",
			"Mcp-Name": "t1"}},
		"arguments that go into headers": {
			modern("tools/call", `"name":"dig","arguments":{"where":" here","how":{"deep":1e2,"now":true},"bad":"x"},`),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "dig", "Mcp-Param-Place": "=?base64?IGhlcmU=?=",
				"Mcp-Param-Depth": "100", "Mcp-Param-Now": "true"}},
		"arguments without a value for them": {
			modern("tools/call", `"name":"dig","arguments":{"where":null,"how":{"deep":12345678901234567890,`+
				`"now":[]}},`),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "dig"}},
		"arguments that are none": {modern("tools/call", `"name":"dig","arguments":"where",`),
			map[string]string{"Mcp-Method": "tools/call", "Mcp-Name": "dig"}},
		"a request of an older revision": {`{"id":1,"method":"tools/call","params":{"name":"echo"}}`, nil},
		"an answer":                      {`{"id":1,"result":{}}`, nil},
		"a batch":                        {`[` + modern("tools/list", "") + `]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for key, values := range p.headersFor([]byte(tt.message)) {
				got[key] = values[0]
			}
			if tt.want != nil {
				tt.want["Mcp-Protocol-Version"] = "2026-07-28"
			}
			assert.Equal(t, len(tt.want), len(got))
			for key, value := range tt.want {
				assert.Equal(t, value, got[key], key)
			}
		})
	}
}

// TestARequestOfANewerRevisionIsSentAsServersWantIt holds that the headers are sent, that an error of the protocol in
// an answer that is no success reaches the client, and that a request is cancelled by ending it.
func TestARequestOfANewerRevisionIsSentAsServersWantIt(t *testing.T) {
	arrived, gone := make(chan struct{}), make(chan struct{})
	f := newFar(t, t.Context(), func(w http.ResponseWriter, r *http.Request, body string) {
		switch {
		case r.Header.Get("Mcp-Protocol-Version") == "":
			w.WriteHeader(http.StatusBadRequest)
		case r.Header.Get("Mcp-Method") == "server/discover":
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32022,"message":"which?",`+
				`"data":{"supported":[]}}}`)
		case strings.Contains(body, "tools/call"):
			close(arrived)
			<-r.Context().Done()
			close(gone)
		}
	})
	f.say(modern("server/discover", ""))
	require.Equal(t, `{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"which?","data":{"supported":[]}}}`,
		f.hear())
	f.say(modern("tools/call", `"name":"slow",`))
	<-arrived
	f.say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}`)
	<-gone
	f.say(`{"id":2,"method":"ping"}`)
	assert.Contains(t, f.hear(), "400 Bad Request", "and so the call has no answer")
	require.NoError(t, f.in.Close())
	require.NoError(t, <-f.ended)
	require.Len(t, f.facts, 3)
	assert.True(t, f.facts[2].Returned.Cancelled)
	assert.Len(t, f.heard, 3, "the notification is not sent")
}
