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
	body, err := readBody(c)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(body, v); err != nil {
		return badJSON(err)
	}
	return nil
}

// readBody is the request's body, checked to be JSON by its label and UTF-8.
func readBody(c echo.Context) ([]byte, error) {
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, problem(http.StatusUnsupportedMediaType, "not_json", "Send a JSON object with Content-Type: application/json.")
	}
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
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
