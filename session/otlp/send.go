package otlp

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	collectlogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	collecttrace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	logspb "go.opentelemetry.io/proto/slim/otlp/logs/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"candor/safety"
	"candor/session"
)

const (
	// maxAttempts is how often a request is sent before its turn is lost.
	maxAttempts = 5
	// maxBatch is how many spans or logs a request has.
	maxBatch = 256
	// maxAnswer is how many bytes of a collector's answer are read.
	maxAnswer = 64 << 10
	// attemptTime bounds a request with its answer.
	attemptTime = 10 * time.Second
	// firstPause is the time between the first two attempts, which doubles with each; maxPause is
	// the longest that a collector may ask for.
	firstPause = time.Second
	maxPause   = 30 * time.Second
)

// errRefused says that a collector took the request and not all that is in it.
var errRefused = errors.New("the collector refused some of it")

// newClient returns a client that follows no redirect, since requests carry credentials.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &http.Client{
		Transport: transport, Timeout: attemptTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// send sends a turn and counts what became of it.
func (x *Exporter) send(ctx context.Context, t session.Turn, agent safety.Text, events []session.Event) {
	spans, logs := Project(t, agent, events, x.options.About)
	if err := x.post(ctx, spans, logs); err != nil {
		x.lost.Add(1)
		x.options.Log.Warn("a turn was not exported", "session", t.Session, "turn", t.Number, "cause", err)
		return
	}
	x.sent.Add(1)
}

// post sends spans and logs in requests of a bounded number of them.
func (x *Exporter) post(ctx context.Context, spans []*tracepb.Span, logs []*logspb.LogRecord) error {
	for some := range slices.Chunk(spans, maxBatch) {
		request := &collecttrace.ExportTraceServiceRequest{ResourceSpans: []*tracepb.ResourceSpans{{
			Resource: x.resource, ScopeSpans: []*tracepb.ScopeSpans{{Scope: x.scope, Spans: some}},
		}}}
		answer := &collecttrace.ExportTraceServiceResponse{}
		if err := x.repeat(ctx, "v1/traces", request, answer); err != nil {
			return err
		}
		if answer.GetPartialSuccess().GetRejectedSpans() > 0 {
			return errRefused
		}
	}
	for some := range slices.Chunk(logs, maxBatch) {
		request := &collectlogs.ExportLogsServiceRequest{ResourceLogs: []*logspb.ResourceLogs{{
			Resource: x.resource, ScopeLogs: []*logspb.ScopeLogs{{Scope: x.scope, LogRecords: some}},
		}}}
		answer := &collectlogs.ExportLogsServiceResponse{}
		if err := x.repeat(ctx, "v1/logs", request, answer); err != nil {
			return err
		}
		if answer.GetPartialSuccess().GetRejectedLogRecords() > 0 {
			return errRefused
		}
	}
	return nil
}

// repeat sends a request until a collector takes it, and reads its answer. It gives up after
// maxAttempts, when the collector refuses it for good, or when ctx ends.
func (x *Exporter) repeat(ctx context.Context, path string, request, answer proto.Message) error {
	body, err := proto.Marshal(request)
	if err != nil {
		return err
	}
	pause := firstPause
	for attempt := 1; ; attempt++ {
		wait, err := x.try(ctx, path, body, answer)
		if wait < 0 || err == nil || attempt == maxAttempts {
			return err
		}
		select {
		case <-time.After(min(cmp.Or(wait, pause), maxPause)):
		case <-ctx.Done():
			return err
		}
		pause *= 2
	}
}

// try sends a request once. After an error, wait is negative if another try is of no use, or how
// long the collector wants to be left alone; 0 means as long as usual. Errors have no text of the
// collector and no address.
func (x *Exporter) try(ctx context.Context, path string, body []byte, answer proto.Message) (
	wait time.Duration, err error,
) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, x.options.URL.JoinPath(path).String(),
		bytes.NewReader(body))
	if err != nil {
		return -1, errors.New("the request could not be made")
	}
	r.Header = x.options.Header.Clone()
	if r.Header == nil {
		r.Header = http.Header{}
	}
	r.Header.Set("Content-Type", "application/x-protobuf")
	r.Header.Set("User-Agent", "candor/"+x.options.Version)
	resp, err := x.client.Do(r)
	if err != nil {
		return 0, errors.New("the collector was not reached")
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	switch {
	case resp.StatusCode/100 == 2:
		if err == nil && resp.Header.Get("Content-Type") == "application/x-protobuf" {
			_ = proto.Unmarshal(raw, answer) // one that cannot be read refuses nothing
		}
		return 0, nil
	case mayTryAgain(resp.StatusCode):
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		return max(0, time.Duration(seconds)*time.Second), fmt.Errorf("the collector answered %d", resp.StatusCode)
	}
	return -1, fmt.Errorf("the collector answered %d", resp.StatusCode)
}

// mayTryAgain reports whether OTLP wants a request with this answer to be sent again.
func mayTryAgain(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}
