package otlp

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	collectlogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	collecttrace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes what an exporter sends, over a socket or as its client's transport.
type collector struct {
	mu       sync.Mutex
	answer   func(path string) *http.Response // nil takes everything
	requests []*http.Request
	spans    []*tracepb.Span
	logs     []string // names of the events
	resource map[string]string
}

// take reads a request and returns the status of the answer.
func (c *collector) take(r *http.Request) *http.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests = append(c.requests, r)
	body, _ := io.ReadAll(r.Body)
	if c.answer != nil {
		if a := c.answer(r.URL.Path); a != nil {
			return a
		}
	}
	switch r.URL.Path {
	case "/base/v1/traces":
		var got collecttrace.ExportTraceServiceRequest
		if proto.Unmarshal(body, &got) != nil {
			return status(http.StatusBadRequest)
		}
		c.resource = map[string]string{}
		for _, a := range got.ResourceSpans[0].Resource.Attributes {
			c.resource[a.Key] = a.Value.GetStringValue()
		}
		c.spans = append(c.spans, got.ResourceSpans[0].ScopeSpans[0].Spans...)
	case "/base/v1/logs":
		var got collectlogs.ExportLogsServiceRequest
		if proto.Unmarshal(body, &got) != nil {
			return status(http.StatusBadRequest)
		}
		for _, l := range got.ResourceLogs[0].ScopeLogs[0].LogRecords {
			c.logs = append(c.logs, l.EventName)
		}
	default:
		return status(http.StatusNotFound)
	}
	return status(http.StatusOK)
}

func status(code int) *http.Response {
	return &http.Response{StatusCode: code, Header: http.Header{}, Body: http.NoBody}
}

// RoundTrip implements http.RoundTripper.
func (c *collector) RoundTrip(r *http.Request) (*http.Response, error) {
	if a := c.take(r); a != nil && a.StatusCode > 0 {
		return a, nil
	}
	return nil, errors.New("connection refused")
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.WriteHeader(c.take(r).StatusCode)
}

// start returns an exporter to the collector at an address.
func start(t *testing.T, address string, log io.Writer) *Exporter {
	t.Helper()
	u, err := url.Parse(address + "/base")
	require.NoError(t, err)
	return Start(Options{
		URL: u, Header: http.Header{"Authorization": {"Bearer sesame"}}, Version: "1.2",
		About: About{Provider: "openai", Model: "m"}, Log: slog.New(slog.NewTextHandler(log, nil)),
	})
}

// startOver is start over a transport, which nothing was sent to yet.
func startOver(t *testing.T, c *collector) (*Exporter, *bytes.Buffer) {
	var log bytes.Buffer
	x := start(t, "http://collector", &log)
	x.client.Transport = c
	return x, &log
}
