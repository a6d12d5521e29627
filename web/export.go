package web

import (
	"bytes"
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/session/export"
)

// The formats of an export: the parameter's value is also the file's extension.
var exportFormats = map[string]struct {
	kind  string
	write func(export.Document) ([]byte, error)
}{
	"md":    {"text/markdown; charset=utf-8", func(d export.Document) ([]byte, error) { return export.Markdown(d), nil }},
	"html":  {"text/html; charset=utf-8", export.HTML},
	"jsonl": {"application/jsonl; charset=utf-8", jsonLines},
}

// export: GET /api/chat/export?thread_id=&format=md|jsonl|html&turn=&omit=, a
// thread or one turn of it as a file.
func (s *Server) export(c echo.Context) error {
	name := c.QueryParam("format")
	if name == "" {
		name = "md"
	}
	format, ok := exportFormats[name]
	if !ok {
		return problem(http.StatusBadRequest, "bad_format", "format has to be md, jsonl or html.")
	}
	omit, err := omitParam(c)
	if err != nil {
		return err
	}
	own, err := s.Store.Open(c.Request().Context(), userOf(c))
	if err != nil {
		return err
	}
	d, file, err := exported(c, own)
	if err != nil {
		return err
	}
	d.Omit = omit
	body, err := format.write(d)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, file, name))
	return c.Blob(http.StatusOK, format.kind, body)
}

// exported is what was asked for, and what to call it. The name is made of ids of
// ours alone.
func exported(c echo.Context, own *session.Session) (export.Document, string, error) {
	id := cmp.Or(c.QueryParam("thread_id"), own.Active())
	h, err := own.History(id, session.Page{})
	if err != nil {
		return export.Document{}, "", err
	}
	d, file := export.Document{Thread: id, Turns: h.Turns}, "candor-"+id[:min(len(id), epochLength)]
	if len(h.Turns) > 0 {
		d.Title = h.Turns[0].Input
	}
	if c.QueryParam("turn") == "" {
		return d, file, nil
	}
	t, err := turnParam(c, own, id)
	if err != nil {
		return export.Document{}, "", err
	}
	d.Turns = []session.Turn{t}
	return d, file + "-turn-" + strconv.Itoa(t.Number), nil
}

// turnParam is the turn of the thread that the request names.
func turnParam(c echo.Context, own *session.Session, thread string) (session.Turn, error) {
	n, err := strconv.Atoi(c.QueryParam("turn"))
	if err != nil {
		return session.Turn{}, problem(http.StatusBadRequest, "bad_turn", "turn has to be a turn's number, such as 3.")
	}
	return own.Turn(thread, n)
}

// omitParam reads what to leave out, such as parameters,results.
func omitParam(c echo.Context) (omit export.Omit, err error) {
	raw := c.QueryParam("omit")
	if raw == "" {
		return omit, nil
	}
	for part := range strings.SplitSeq(raw, ",") {
		switch part {
		case "reasoning":
			omit.Reasoning = true
		case "parameters":
			omit.Parameters = true
		case "results":
			omit.Results = true
		default:
			return omit, problem(http.StatusBadRequest, "bad_omit", "omit takes reasoning, parameters and results, with commas between them.")
		}
	}
	return omit, nil
}

// jsonLines is a turn a line, each as GET /api/chat/turn gives it.
func jsonLines(d export.Document) ([]byte, error) {
	var b bytes.Buffer
	for _, t := range d.Turns {
		info := turnDetail(t)
		info.omit(d.Omit)
		line, err := marshal(info)
		if err != nil {
			return nil, err
		}
		b.Write(append(line, '\n'))
	}
	return b.Bytes(), nil
}
