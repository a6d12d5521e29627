package mcp

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOneBadPartOfAResultSpoilsNoOther holds that of a result everything is kept that can be read, and that what cannot
// is named.
func TestOneBadPartOfAResultSpoilsNoOther(t *testing.T) {
	const left = `"note":"this part cannot be read, and is left out"`
	for name, tt := range map[string]struct{ result, want string }{
		"a kind that is new beside a text": {
			`{"content":[{"type":"text","text":"3 rows"},{"type":"chart","x":1}]}`,
			`{"content":[{"type":"text","text":"3 rows"},{"type":"chart",` + left + `}]}`},
		"a kind that is new and has a text": {`{"content":[{"type":"markdown","text":"# 3 rows"}]}`,
			`{"content":[{"type":"markdown","text":"# 3 rows",` + left + `}]}`},
		"a picture that is no base64": {
			`{"content":[{"type":"text","text":"see"},{"type":"image","data":"not base64!!","mimeType":"image/png"}]}`,
			`{"content":[{"type":"text","text":"see"},{"type":"image",` + left + `}]}`},
		"a text that is a number": {`{"content":[{"type":"text","text":7}]}`, `{"content":[{"type":"text",` + left +
			`}]}`},
		"a part that is a text": {`{"content":["plain",{"type":"text","text":"x"}]}`,
			`{"content":[{"type":"text","text":"plain"},{"type":"text","text":"x"}]}`},
		"a part that is null": {`{"content":[null,{"type":"text","text":"x"}]}`, `{"content":[{"type":"unknown",` +
			left + `},{"type":"text","text":"x"}]}`},
		"content that is a text": {`{"content":"plain"}`, `{"content":[{"type":"text","text":"plain"}]}`},
		"content that is one part": {`{"content":{"type":"text","text":"one"}}`,
			`{"content":[{"type":"text","text":"one"}]}`},
		"content that is null":  {`{"content":null,"structuredContent":{"n":7}}`, `{"structured":{"n":7}}`},
		"a structure in a list": {`{"content":[],"structuredContent":[1,"two"]}`, `{"structured":[1,"two"]}`},
		"a structure that is text": {`{"structuredContent":"seven","content":[{"type":"new"}]}`,
			`{"structured":"seven","content":[{"type":"new",` + left + `}]}`},
		"_meta as an empty list": {`{"_meta":[],"content":[{"type":"text","text":"x"}]}`,
			`{"content":[{"type":"text","text":"x"}]}`},
		"annotations as a list": {`{"content":[{"type":"text","text":"x","annotations":[]},{"type":"text",` +
			`"text":"y"}]}`,
			`{"content":[{"type":"text","text":"x",` + left + `},{"type":"text","text":"y"}]}`},
		"an empty list for nothing": {`[]`, `{}`},
		"null":                      {`null`, `{}`},
		"a link and a resource": {`{"content":[{"type":"resource_link","uri":"u:1","name":"a"},` +
			`{"type":"resource","resource":{"uri":"u:2"}},{"type":"resource","resource":7}]}`,
			`{"content":[{"type":"resource_link","uri":"u:1","name":"a"},{"type":"resource","uri":"u:2"},` +
				`{"type":"resource",` + left + `}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := answered(t, `{"jsonrpc":"2.0","id":1,"result":`+tt.result+`}`)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, got)
			if strings.HasPrefix(tt.result, "{") {
				relayed, err := RelayedResult(json.RawMessage(tt.result))
				require.NoError(t, err)
				assert.JSONEq(t, tt.want, string(relayed), "as of a server's that is relayed")
			}
		})
	}
	for name, tt := range map[string]struct{ result, want string }{
		"a failure that is said as a text": {`{"isError":"true","content":"no such row"}`, "no such row"},
		"a failure as a number":            {`{"isError":1,"content":[{"type":"new","text":"broken"}]}`, "broken"},
		"a task that nobody asked for": {`{"task":{"taskId":"t1","status":"working"}}`,
			"the server began a task instead of answering"},
		"a task of the new revision": {`{"resultType":"task","taskId":"t1"}`, "the server began a task"},
	} {
		_, err := answered(t, `{"jsonrpc":"2.0","id":1,"result":`+tt.result+`}`)
		assert.ErrorContains(t, err, tt.want, name)
	}
}

// answered returns what a model sees of a message that answers a call.
func answered(t *testing.T, message string) (string, error) {
	t.Helper()
	var m struct {
		Result json.RawMessage `json:"result"`
	}
	require.NoError(t, json.Unmarshal(mend([]byte(message)), &m))
	var in sdk.CallToolResult
	require.NoError(t, json.Unmarshal(m.Result, &in))
	got, err := convert(&in, maxResult)
	return string(got), err
}

// TestAMessageIsMendedWhereTheSDKWouldRefuseIt holds that whatever is right already keeps its bytes.
func TestAMessageIsMendedWhereTheSDKWouldRefuseIt(t *testing.T) {
	for name, tt := range map[string]struct{ given, want string }{
		"an answer as it should be": {`{"jsonrpc":"2.0", "id":1,"result":{"content":[]}}`, ""},
		"a request":                 {`{"jsonrpc":"2.0","id":"x","method":"ping","params":[]}`, ""},
		"no JSON":                   {`{"jsonrpc":"2.0","id":1,`, ""},
		"our id as a text": {`{"jsonrpc":"2.0","id":"1","result":{}}`,
			`{"jsonrpc":"2.0","id":1,"result":{}}`},
		"an error that is a text": {`{"jsonrpc":"2.0","id":1,"error":"full"}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"full"}}`},
		"an error whose code is a text": {`{"jsonrpc":"2.0","id":1,"error":{"code":"-32602","message":"bad id"}}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad id"}}`},
		"neither a result nor an error": {`{"jsonrpc":"2.0","id":1}`,
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,` +
				`"message":"the answer has neither a result nor an error"}}`},
		"an array of messages": {`[{"jsonrpc":"2.0","id":1,"result":[]},{"jsonrpc":"2.0","id":null,"result":{}}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"an answer to nothing": {`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}}`, "null"},
	} {
		t.Run(name, func(t *testing.T) {
			got := mend([]byte(tt.given))
			switch tt.want {
			case "":
				assert.Equal(t, tt.given, string(got))
			case "null":
				assert.Nil(t, got)
			default:
				assert.JSONEq(t, tt.want, string(got))
			}
		})
	}
}

// TestOneBadToolOfAListSpoilsNoOther holds that a list is read as far as it can be, whatever form it has.
func TestOneBadToolOfAListSpoilsNoOther(t *testing.T) {
	const good = `{"name":"good","inputSchema":{"type":"object"}}`
	for name, tt := range map[string]struct {
		list string
		want []string
	}{
		"a tool that is null":           {`{"tools":[null,` + good + `]}`, []string{"bert__good"}},
		"a tool that is a text":         {`{"tools":["x",` + good + `]}`, []string{"bert__good"}},
		"a tool whose name is a number": {`{"tools":[{"name":7},` + good + `]}`, []string{"bert__good"}},
		"a description that is a list": {`{"tools":[{"name":"odd","description":[]},` + good + `]}`, []string{
			"bert__odd", "bert__good"}},
		"annotations as an empty list": {`{"tools":[{"name":"odd","annotations":[],"_meta":[]},` + good + `]}`,
			[]string{"bert__odd", "bert__good"}},
		"a list that became an object": {`{"tools":{"10":{"name":"last"},"2":` + good + `}}`, []string{"bert__good",
			"bert__last"}},
		"a cursor that is no text":       {`{"tools":[` + good + `],"nextCursor":false}`, []string{"bert__good"}},
		"_meta of the list as an array":  {`{"tools":[` + good + `],"_meta":[]}`, []string{"bert__good"}},
		"no list at all, which has none": {`{"tools":null}`, nil},
		"a title that is an object": {`{"tools":[{"name":"odd","title":{}},` + good + `]}`, []string{"bert__odd",
			"bert__good"}},
		"a tool without a schema":         {`{"tools":[{"name":"odd"}]}`, []string{"bert__odd"}},
		"a tool whose schema is an array": {`{"tools":[{"name":"odd","inputSchema":[]}]}`, []string{"bert__odd"}},
	} {
		t.Run(name, func(t *testing.T) {
			specs, err := RelayedTools("bert", json.RawMessage(tt.list), asItIs)
			require.NoError(t, err)
			var names []string
			for _, s := range specs {
				names = append(names, s.Name)
				assert.Equal(t, "object", s.Schema.Type)
				assert.Nil(t, s.Schema.Not, "it takes something")
			}
			assert.Equal(t, tt.want, names)
		})
	}
	var page sdk.ListToolsResult
	require.NoError(t, json.Unmarshal(mendResult(json.RawMessage(`{"tools":[],"nextCursor":2}`)), &page))
	assert.Equal(t, "2", page.NextCursor)
}

// TestAToolWithAnOddSchemaTakesWhatCannotBeRead holds that a schema is used as far as it can be, and that what it
// leaves open is said.
func TestAToolWithAnOddSchemaTakesWhatCannotBeRead(t *testing.T) {
	for name, tt := range map[string]struct{ schema, want, odd string }{
		"none":            {`null`, `{"type":"object"}`, "it has no schema"},
		"false":           {`false`, `{"type":"object"}`, "it has no schema"},
		"a text":          {`"object"`, `{"type":"object"}`, "it has no schema"},
		"an empty array":  {`[]`, `{"type":"object"}`, "it has no schema"},
		"of another type": {`{"type":"string"}`, `{"type":"object"}`, "its schema is not of type object"},
		"that it may lack": {`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		"empty objects as arrays": {`{"type":"object","properties":[],"required":[],"$defs":[],` +
			`"additionalProperties":[]}`,
			`{"type":"object","properties":{},"additionalProperties":true}`, ""},
		"the same further in": {`{"type":"object","properties":{"a":{"type":"object","properties":[]},"b":[],` +
			`"c":null}}`,
			`{"type":"object","properties":{"a":{"type":"object","properties":{}},"b":true,"c":true}}`, ""},
		"nulls": {`{"type":"object","required":null,"title":null,"properties":{"a":{"type":"string","enum":null,` +
			`"default":null}}}`,
			`{"type":"object","properties":{"a":{"type":"string","default":null}}}`, ""},
		"a property that is required in the old way": {
			`{"type":"object","properties":{"a":{"type":"string","required":true}}}`,
			`{"type":"object","properties":{"a":{"type":"string"}}}`, ""},
		"bounds of the old way, and as texts": {`{"type":"object","properties":{"a":{"type":"integer","minimum":1,` +
			`"exclusiveMinimum":true,"maximum":"9"}}}`,
			`{"type":"object","properties":{"a":{"type":"integer","minimum":1}}}`, ""},
		"a type that is none": {`{"type":"object","properties":{"a":{"type":"any","description":"what"}}}`,
			`{"type":"object","properties":{"a":{"description":"what"}}}`, ""},
		"a reference to nowhere in one property": {`{"type":"object","properties":{"a":{"$ref":"#/nowhere"},` +
			`"b":{"type":"string"}}}`, `{"type":"object","properties":{"a":true,"b":{"type":"string"}}}`,
			"1 of its properties take anything"},
		"a reference to elsewhere as a whole": {`{"type":"object","allOf":[{"$ref":"https://example.com/s"}]}`,
			`{"type":"object"}`, "its schema cannot be resolved"},
	} {
		t.Run(name, func(t *testing.T) {
			var given any
			require.NoError(t, json.Unmarshal([]byte(tt.schema), &given))
			d, err := (&catalog{clean: asItIs}).define(&sdk.Tool{Name: "x", InputSchema: given})
			require.NoError(t, err)
			got, err := json.Marshal(d.schema)
			require.NoError(t, err)
			assert.JSONEq(t, tt.want, string(got))
			assert.Equal(t, tt.odd, d.odd)
		})
	}
}

// TestAServerOverHTTPIsMendedToo holds that answers are mended in bodies and in streams, and that a page of a list that
// cannot be read costs no other.
func TestAServerOverHTTPIsMendedToo(t *testing.T) {
	for _, stream := range []bool{false, true} {
		var log logged
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var in struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params struct {
					Cursor string `json:"cursor"`
				} `json:"params"`
			}
			if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&in) != nil || in.ID == nil {
				w.WriteHeader(http.StatusAccepted)
				return
			}
			answer := map[string]string{
				"initialize": `"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":[]},` +
					`"serverInfo":{"name":"odd","version":"1"}}`,
				"tools/list": `"result":{"tools":[{"name":"draw","annotations":[]},null],"nextCursor":"2"}`,
				"tools/call": `"result":{"content":[{"type":"text","text":"done"},{"type":"chart"}]}`,
			}[in.Method]
			if in.Params.Cursor != "" {
				answer = `"result":{"tools":7}`
			}
			if answer == "" {
				answer = `"error":{"code":-32601,"message":"no"}`
			}
			body := `{"jsonrpc":"2.0","id":` + string(in.ID) + `,` + answer + `}`
			if w.Header().Set("Content-Type", "application/json"); stream {
				w.Header().Set("Content-Type", "text/event-stream")
				body = "event: message\ndata: " + body + "\n\n"
			}
			_, _ = w.Write([]byte(body))
		}))
		s := connected(t, Config{Servers: map[string]Endpoint{"odd": {URL: server.URL}}}, Options{Log: log.logger()})
		require.Equal(t, []string{"draw"}, toolNames(s.Tools()), log.String())
		got, err := s.Tools()[0].Run(t.Context(), nil)
		require.NoError(t, err)
		assert.JSONEq(t, `{"content":[{"type":"text","text":"done"},`+
			`{"type":"chart","note":"this part cannot be read, and is left out"}]}`, string(got))
		assert.Contains(t, log.String(), "a page of the tools of an MCP server cannot be read")
		assert.Contains(t, log.String(), "draw: it has no schema")
		s.Close()
		server.Close()
	}
}
