package retry

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
)

// Problem is a failure in the provider's own words. Members that the provider left out
// are zero; an error in the middle of a stream has no status.
type Problem struct {
	Status  int
	Header  http.Header
	Codes   []string // the error's code and type, whatever the provider calls them
	Message string
}

// errorBody is the JSON that providers send with a failure. Some have these members
// in an object called error, some at the top.
type errorBody struct {
	Message string
	Msg     string
	Detail  any // of servers made with FastAPI
	Code    any // a word or an HTTP status
	Type    string
}

// Read understands the body of a failed request, or the data of an error event, where
// status is 0 and h nil. It knows the shapes of OpenAI, Anthropic and the servers that
// follow them, with an object or a string as the error, and plain text. HTML, the
// error page of some proxy, says nothing and is only named as that.
func Read(status int, h http.Header, body []byte) Problem {
	p := Problem{Status: status, Header: h}
	var outer struct {
		Error json.RawMessage
		errorBody
	}
	if json.Unmarshal(body, &outer) != nil {
		p.Message = string(body)
		if strings.Contains(strings.ToLower(h.Get("Content-Type")), "html") || strings.HasPrefix(p.Message, "<") {
			p.Message = strings.TrimSpace(http.StatusText(status) + " (a web page)")
		}
		return p
	}
	inner := outer.errorBody
	if len(outer.Error) > 0 && string(outer.Error) != "null" {
		inner = errorBody{}
		if json.Unmarshal(outer.Error, &inner.Message) != nil {
			_ = json.Unmarshal(outer.Error, &inner)
		}
	}
	p.Message = cmp.Or(inner.Message, inner.Msg)
	if p.Message == "" && inner.Detail != nil {
		p.Message = jsonText(inner.Detail)
	}
	p.Codes = []string{jsonText(inner.Code), inner.Type}
	return p
}

// jsonText returns a string as it is, nothing for nil, and any other value as JSON.
func jsonText(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, _ := json.Marshal(v) // it was decoded from JSON
	return string(raw)
}
