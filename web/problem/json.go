package problem

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// prettyIndent indents answers to requests with ?pretty in their URL.
const prettyIndent = "  "

// WriteJSON answers with v as JSON, as every route of package web does. If v
// cannot be encoded, it returns the error with nothing written, so that the error
// can still become the answer.
func WriteJSON(w http.ResponseWriter, r *http.Request, status int, v any) error {
	indent := ""
	if r.URL.Query().Has("pretty") {
		indent = prettyIndent
	}
	var body bytes.Buffer
	if err := EncodeJSON(&body, v, indent); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, err := w.Write(body.Bytes())
	return err
}

// EncodeJSON writes v and a newline, each level indented by indent. Clients put
// text into text nodes, so < > & are not escaped: escapes would only make it
// longer and harder to read.
func EncodeJSON(w io.Writer, v any, indent string) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	return enc.Encode(v)
}
