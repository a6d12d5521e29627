package web

import (
	"bytes"
	"encoding/json"

	"github.com/labstack/echo/v4"
)

// marshal is JSON that leaves < > & as they are: clients put text into text
// nodes, and escapes would only make it longer and harder to read.
func marshal(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n")), nil
}

// plainJSON makes Echo encode the same way, indented where a route is asked with
// ?pretty.
type plainJSON struct{ echo.DefaultJSONSerializer }

func (plainJSON) Serialize(c echo.Context, v any, indent string) error {
	enc := json.NewEncoder(c.Response())
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}
