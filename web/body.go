package web

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"unicode/utf8"

	"github.com/labstack/echo/v4"
)

// decode reads one JSON object from the body into v. It refuses what it would
// have to guess at.
func decode(c echo.Context, v any) error {
	body, err := ReadBody(c.Request())
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// ReadBody is a request's body, checked to be JSON by its label and UTF-8. Its errors
// are fit to be the answer.
func ReadBody(r *http.Request) ([]byte, error) {
	if !isJSON(r) {
		return nil, notJSON
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, problem(http.StatusRequestEntityTooLarge, "body_too_large",
				"The body is larger than this path takes. Send less.").with("max_bytes", large.Limit)
		}
		if _, ok := errors.AsType[*echo.HTTPError](err); ok {
			return nil, err
		}
		return nil, problem(http.StatusBadRequest, "body_unreadable", "The body broke off before its end. Send it again.")
	}
	switch {
	case len(body) == 0:
		return nil, problem(http.StatusBadRequest, "empty_body", "The body is empty. Send a JSON object.")
	case !utf8.Valid(body):
		return nil, problem(http.StatusBadRequest, "invalid_utf8", "The body is not valid UTF-8.")
	}
	return body, nil
}

var notJSON = problem(http.StatusUnsupportedMediaType, "not_json", "Send a JSON object with Content-Type: application/json.")

// isJSON reports whether the request says that its body is JSON.
func isJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// badJSON says where a body went wrong, without repeating any of it.
func badJSON(err error) *Problem {
	p := problem(http.StatusBadRequest, "invalid_json", "The body is not a JSON object of the expected form.")
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return p.with("offset", syntax.Offset)
	}
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return p.with("offset", wrong.Offset).with("expected", wrong.Type.String())
	}
	return p
}
