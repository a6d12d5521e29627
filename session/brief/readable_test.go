package brief

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/tidwall/gjson"
)

func TestAValueIsReadAsPeopleReadIt(t *testing.T) {
	for _, tt := range []struct{ name, value, want string }{
		{"nothing", `null`, ""},
		{"a text", `"FAIL\n  at line 2\n"`, "FAIL\n  at line 2\n"},
		{"a text with line breaks of Windows", `"a\r\nb\rc"`, "a\nb\nc"},
		{"a number", `12`, "12"},
		{"a list", `["a",{"b":1}]`, "[\n  \"a\",\n  {\n    \"b\": 1\n  }\n]"},
		{"an object", `{"path":"a.go","limit":40,"all":true}`, "path: a.go\nlimit: 40\nall: true"},
		{"an object without members", `{}`, ""},
		{"a patch", `{"path":"a.go","patch":"-old\n+new"}`, "path: a.go\npatch:\n    -old\n    +new"},
		{"a text that begins like another member", `{"a":"x\nb: y"}`, "a:\n    x\n    b: y"},
		{"a text that looks like a number", `{"id":"12","n":12}`, `id: "12"` + "\nn: 12"},
		{"a text that ends with a blank", `{"glue":", "}`, `glue: ", "`},
		{"a text of several lines that is JSON", `{"body":"{\n\"a\": 1\n}"}`, "body:\n    {\n    \"a\": 1\n    }"},
		{"an object within", `{"range":{"from":1,"to":2}}`, `range: {"from":1,"to":2}`},
		{"a long list within", `{"all":["` + strings.Repeat("x", MaxLine) + `"]}`,
			"all:\n    [\n      \"" + strings.Repeat("x", MaxLine) + "\"\n    ]"},
		{"a line with its end", `{"text":"ship it\n"}`, "text:\n    ship it"},
		{"a name of two lines", `{"a\nb":1}`, "a b: 1"},
		{"an answer of an MCP server", mcp("2 files\nchanged\n"), "2 files\nchanged"},
		{"an answer with two texts",
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"isError":false}`, "a\nb"},
		{"an answer with an image", `{"content":[{"type":"image","mime":"image/png","bytes":9}]}`,
			`{"type":"image","mime":"image/png","bytes":9}`},
		{"structured content alone", `{"structured":{"kg":4}}`, "kg: 4"},
		{"structured content that a text repeats",
			`{"content":[{"type":"text","text":"{\"kg\": 4}"}],"structuredContent":{"kg":4}}`, `{"kg": 4}`},
		{"structured content that says more",
			`{"content":[{"type":"text","text":"heavy"}],"structuredContent":{"kg":4}}`, "heavy\nkg: 4"},
		{"an answer that was cut", `{"content":[{"type":"text","text":"a"}],"truncated":"the rest is left out"}`,
			"a\nthe rest is left out"},
		{"an object that has content and more", `{"content":[{"type":"text","text":"a"}],"path":"b"}`,
			`content: [{"type":"text","text":"a"}]` + "\npath: b"},
		{"an object whose content is a text", `{"content":"a"}`, "content: a"},
		{
			"an answer of the newer revisions", `{"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"}},` +
				`"resultType":"complete","content":[{"type":"text","text":"heavy"}]}`, "heavy"},
		{"an error without more", `{"isError":true}`, "isError: true"},
	} {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, Readable(jsonOf(tt.value))) })
	}
}

func TestAReadableValueHasNoControlCharacters(t *testing.T) {
	raw := "a\x1b[2Jb\x00c\td\x7f"
	for _, value := range []string{quoted(raw), `{"x":` + quoted(raw) + `}`, mcp(raw)} {
		assert.NotRegexp(t, `[\x00-\x08\x0b-\x1f\x7f]`, readable(gjson.Parse(value)), value)
	}
}
