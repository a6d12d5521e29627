package app

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"candor/web"
	"candor/web/access"
	"candor/web/ask"
	"candor/web/client"
	"candor/web/openapi"
	"candor/web/problem"
)

// askRoutes serves the MCP server that answers why. It keeps no sessions. Its tools ask the routes of api in
// this process, with the token of the request, so that everything about tokens, limits and ownership holds.
func askRoutes(api http.Handler, version string, clean ask.Clean) []web.Route {
	server := ask.New(version, func(h http.Header) (*client.Client, error) {
		token := access.Bearer(&http.Request{Header: h})
		if token == "" {
			return nil, errors.New("send your token in the header Authorization: Bearer TOKEN")
		}
		return client.NewVia("http://localhost", token, inProcess{api})
	}, nil, clean)
	handler := server.Handler()
	return []web.Route{{
		Method: http.MethodPost, Path: "/mcp", MaxBody: ask.MaxQuestion,
		CountsItself: true, // the request that its tool makes counts
		About: openapi.Operation{Summary: "Ask why, over MCP",
			Text: "A Model Context Protocol server with the tools why, search_reasons and recent_decisions.",
			Body: openapi.Anything{}, Answers: []openapi.Answer{openapi.JSON(http.StatusOK, openapi.Anything{}),
				{Status: http.StatusAccepted, Text: "A notification was received"}}},
		Serve: func(w http.ResponseWriter, r *http.Request, _ access.Caller) error {
			body, err := problem.ReadBody(r)
			if err != nil {
				return err
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			// It is the request of its tool that has to have a share of the processors.
			return web.Aside(r.Context(), func() { handler.ServeHTTP(w, r) })
		},
	}}
}

// inProcess brings requests to a handler in this process. It reads the whole answer.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	inner := r.Clone(r.Context())
	inner.RequestURI, inner.Host, inner.RemoteAddr = r.URL.RequestURI(), r.URL.Host, "127.0.0.1:0"
	if inner.Body == nil {
		inner.Body = http.NoBody
	}
	w := &answerBuffer{header: http.Header{}}
	p.handler.ServeHTTP(w, inner)
	w.WriteHeader(http.StatusOK)
	return &http.Response{StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body),
		ContentLength: int64(w.body.Len()), Request: r}, nil
}

// answerBuffer is a response that stays in memory.
type answerBuffer struct {
	header http.Header
	status int // 0 until it is written
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (w *answerBuffer) Header() http.Header { return w.header }

// WriteHeader implements http.ResponseWriter.
func (w *answerBuffer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// Write implements http.ResponseWriter.
func (w *answerBuffer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(p)
}
