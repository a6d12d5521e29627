package retry

import (
	"encoding/json"
	"net/http"
	"strings"
)

// wireError is what providers put into a refusal: an object, or words alone.
type wireError struct {
	Message string
	Detail  any // of servers made with FastAPI
	Code    any // a word or an HTTP status
	Type    string
}

// Read understands a refusal's body: the shapes of OpenAI, Anthropic and those
// who follow them, with an object or a string as the error, and plain text.
func Read(status int, h http.Header, body []byte) Problem {
	p := Problem{Status: status, Header: h}
	var outer struct {
		Error json.RawMessage
		wireError
	}
	if json.Unmarshal(body, &outer) != nil {
		if !strings.Contains(strings.ToLower(h.Get("Content-Type")), "html") {
			p.Message = string(body)
		}
		return p
	}
	inner := outer.wireError
	if len(outer.Error) > 0 && string(outer.Error) != "null" {
		inner = wireError{}
		if json.Unmarshal(outer.Error, &inner.Message) != nil {
			_ = json.Unmarshal(outer.Error, &inner)
		}
	}
	p.Message = inner.Message
	if p.Message == "" && inner.Detail != nil {
		p.Message = word(inner.Detail)
	}
	p.Codes = []string{word(inner.Code), inner.Type}
	return p
}

func word(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	raw, _ := json.Marshal(v)
	return string(raw)
}
