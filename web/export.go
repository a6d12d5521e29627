package web

import (
	"cmp"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/session/export"
	"candor/web/problem"
	"candor/web/sse"
	"candor/web/view"
)

// exportFormats are the formats by the value of ?format=, which is also the file's
// extension.
var exportFormats = map[string]struct {
	kind  string
	write func(io.Writer, export.Document) error
}{
	"md":    {"text/markdown; charset=utf-8", export.Markdown},
	"html":  {"text/html; charset=utf-8", export.HTML},
	"jsonl": {"application/jsonl; charset=utf-8", view.JSONLines},
}

// export handles GET /api/chat/export?thread_id=&format=md|jsonl|html&turn=&omit=: a
// thread, or one turn of it, as a file. The thread defaults to the one used last.
//
// Errors: those of [WriteExport]; bad_turn if turn is not a number; no_thread, no_turn.
func (s *Server) export(c echo.Context, own *session.Session) error {
	d, file, err := exported(c, own)
	if err != nil {
		return err
	}
	return WriteExport(c.Response(), c.Request(), d, file)
}

// WriteExport answers with a document as a file in the format of ?format=, without what
// ?omit= names. The format defaults to md; omit takes reasoning, parameters and results,
// separated by commas. file is the file's name without its extension, and is made of
// our own ids only. The file is written as it is made; if that fails, the answer breaks off.
//
// Errors: bad_format, bad_omit.
func WriteExport(w http.ResponseWriter, r *http.Request, d export.Document, file string) error {
	name := cmp.Or(r.URL.Query().Get("format"), "md")
	format, ok := exportFormats[name]
	if !ok {
		return problem.New(http.StatusBadRequest, "bad_format", "format has to be md, jsonl or html.")
	}
	var err error
	if d.Omit, err = omitParam(r); err != nil {
		return err
	}
	w.Header().Set("Content-Type", format.kind)
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.%s"`, file, name))
	out := newPacedWriter(w, r)
	if err = format.write(out, d); err != nil {
		out.breakOff()
	}
	return err
}

// exported returns the requested thread or turn, and a file name, which is made of
// our own ids only.
func exported(c echo.Context, own *session.Session) (export.Document, string, error) {
	id := cmp.Or(c.QueryParam("thread_id"), own.Active())
	h, err := own.History(id, session.Page{})
	if err != nil {
		return export.Document{}, "", err
	}
	th, err := own.Thread(id)
	if err != nil {
		return export.Document{}, "", err
	}
	d := export.Document{Thread: id, Origin: th.Origin, Turns: h.Turns}
	file := "candor-" + id[:min(len(id), sse.EpochLength)]
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

// turnParam returns the thread's turn that ?turn= names.
func turnParam(c echo.Context, own *session.Session, thread string) (session.Turn, error) {
	n, err := strconv.Atoi(c.QueryParam("turn"))
	if err != nil {
		return session.Turn{}, problem.New(http.StatusBadRequest, "bad_turn",
			"turn has to be a turn's number, such as 3.")
	}
	return own.Turn(thread, n)
}

// omitParam parses ?omit=, such as parameters,results.
func omitParam(r *http.Request) (omit export.Omit, err error) {
	raw := r.URL.Query().Get("omit")
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
			return omit, problem.New(http.StatusBadRequest, "bad_omit",
				"omit has to be a comma-separated list of reasoning, parameters and results.")
		}
	}
	return omit, nil
}
