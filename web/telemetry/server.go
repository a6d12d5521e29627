package telemetry

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"sync"
	"time"

	"candor/attach"
	"candor/attach/dialect"
	"candor/attach/otlp"
	"candor/web"
	"candor/web/access"
	"candor/web/openapi"
	"candor/web/problem"
)

// Recorder records sightings in a user's session. Package web/attached implements it.
type Recorder interface {
	Record(ctx context.Context, user string, all []attach.Sighting) (refused int, err error)
}

// Options configures a Server. All fields but Now are required.
type Options struct {
	Recorder Recorder
	Clean    func(user, text string) string // takes secrets out of a text of a user
	Log      *slog.Logger
	Now      func() time.Time // nil means time.Now
}

// Server receives telemetry. It is safe for concurrent use.
type Server struct {
	Options
	stop context.CancelFunc
	done chan struct{}

	mu sync.Mutex
	// By the user's name. Users of whom nothing is remembered are not among them.
	users map[string]*userSpans
	// How many bytes the spans of all users take together.
	held int
	// What came since the server began, and what of it was not read, by the user's name.
	counts Counts
	unread map[string]lost
	// Whether it takes no spans any more. The session refuses records.
	closed bool
}

// Counts holds how many spans and records arrived, and how many were not recorded.
type Counts struct {
	// All that arrived, of agents or not.
	Spans, Records int
	// Losses by cause: one of dialect.Losses, or a fact that a session refused. Every cause is present from the
	// beginning, with 0, so that its metric begins at 0.
	Lost map[string]int
}

// New returns a server and starts the goroutine that records spans that have waited long enough. The caller must call
// Close.
func New(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, stop := context.WithCancel(context.Background())
	s := &Server{Options: o, stop: stop, done: make(chan struct{}), users: map[string]*userSpans{},
		unread: map[string]lost{}}
	s.counts.Lost = map[string]int{tooLong: 0}
	for _, what := range dialect.Losses() {
		s.counts.Lost[what] = 0
	}
	go s.sweep(ctx)
	return s
}

// Routes returns the routes of the package.
func (s *Server) Routes() []web.Route {
	return web.Describe([]web.Route{
		{Method: http.MethodPost, Path: "/v1/traces", MaxBody: maxBody, Telemetry: true, Serve: s.postTraces},
		{Method: http.MethodPost, Path: "/v1/logs", MaxBody: maxBody, Telemetry: true, Serve: s.postLogs},
	}, operations)
}

// operations describes the routes.
var operations = map[string]openapi.Operation{
	"POST /v1/traces": {Summary: "Tell what another program's agent did, as OpenTelemetry's spans",
		Text: "An ExportTraceServiceRequest of OTLP, as application/x-protobuf or application/json; gzip is read. " +
			"The answer is an ExportTraceServiceResponse of the same kind. What is read is in docs/attach.md.",
		Body: openapi.Anything{}, Answers: answers},
	"POST /v1/logs": {Summary: "Tell what another program's agent did, as OpenTelemetry's log records",
		Text: "An ExportLogsServiceRequest of OTLP; otherwise as POST /v1/traces.",
		Body: openapi.Anything{}, Answers: answers},
}

// answers are those of both routes.
var answers = []openapi.Answer{
	openapi.JSON(http.StatusOK, openapi.Anything{}), {Status: http.StatusOK, Kind: string(otlp.Protobuf)},
}

// postTraces takes spans.
func (s *Server) postTraces(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	body, kind, err := read(r)
	if err != nil {
		return err
	}
	spans, err := otlp.Traces(body, kind)
	if err != nil {
		return invalid(err)
	}
	// Spans that are no agent's are nodes, too: they may be what stands between an agent and its tools.
	losses, clean := lost{}, s.cleaner(who)
	nodes := make([]dialect.Node, 0, len(spans))
	for _, span := range spans {
		n, loss, ok := dialect.Read(span, clean)
		losses.add(loss, 1, clean)
		if ok {
			nodes = append(nodes, n)
		}
	}
	refused, err := s.take(r.Context(), who.User, nodes)
	if err != nil {
		return err
	}
	losses.refused(refused)
	s.count(who.User, len(spans), 0, losses)
	return s.answer(w, kind, losses.partial(), "Spans")
}

// cleaner returns what takes secrets out of a caller's texts.
func (s *Server) cleaner(who access.Caller) func(text string) string {
	return func(text string) string { return s.Clean(who.User, text) }
}

// postLogs takes log records. Those of model calls wait for their spans, the others for nothing.
func (s *Server) postLogs(w http.ResponseWriter, r *http.Request, who access.Caller) error {
	body, kind, err := read(r)
	if err != nil {
		return err
	}
	records, err := otlp.Logs(body, kind)
	if err != nil {
		return invalid(err)
	}
	losses, clean := lost{}, s.cleaner(who)
	var all []attach.Sighting
	var nodes []dialect.Node
	for _, one := range records {
		told, loss := dialect.Record(one)
		losses.add(loss, 1, clean)
		all = append(all, told...)
		if n, ok := dialect.Message(one, clean); ok {
			nodes = append(nodes, n)
		}
	}
	refused, err := s.Recorder.Record(r.Context(), who.User, all)
	if err == nil && len(nodes) > 0 {
		var more int
		more, err = s.take(r.Context(), who.User, nodes)
		refused += more
	}
	if err != nil {
		return err
	}
	losses.refused(refused)
	s.count(who.User, 0, len(records), losses)
	return s.answer(w, kind, losses.partial(), "LogRecords")
}

// errClosed is the answer once the server is closed. Exporters repeat what is answered with it.
var errClosed = problem.New(http.StatusServiceUnavailable, "shutting_down",
	"The server is stopping and accepts no more telemetry. Send it again once it is back.")

// invalid returns the answer to a body that cannot be decoded.
func invalid(err error) error {
	if errors.Is(err, otlp.ErrBody) {
		return badBody
	}
	return err
}

// answer writes an answer of the kind of the request.
func (s *Server) answer(w http.ResponseWriter, kind otlp.Kind, p otlp.Partial, items string) error {
	w.Header().Set("Content-Type", string(kind))
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(p.Answer(kind, items))
	return err
}

// count adds to the counts.
func (s *Server) count(user string, spans, records int, losses lost) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts.Spans += spans
	s.counts.Records += records
	for loss, n := range losses {
		s.counts.Lost[loss.What] += n
		if s.unread[user] == nil {
			s.unread[user] = lost{}
		}
		s.unread[user].add(loss, n, nil)
	}
}

// Unread returns what could not be read of a user's spans and records since the server began.
func (s *Server) Unread(user string) []web.UnreadTelemetry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unread[user].sorted()
}

// Counts returns how many spans and records arrived so far, and how many of them were lost.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.counts
	c.Lost = maps.Clone(c.Lost)
	return c
}

// The bounds of a body, as it is sent and unpacked.
const (
	maxBody     = 8 << 20
	maxUnpacked = 32 << 20
)

// The problems of a body. None repeats input.
var (
	// Exporters over gRPC, and those that are pointed at another path, send other kinds.
	otherKind = problem.New(http.StatusUnsupportedMediaType, "not_otlp",
		"Send OTLP with Content-Type: application/x-protobuf or application/json, as OpenTelemetry's exporters over "+
			"HTTP do.")
	// OTLP knows only gzip.
	otherEncoding = problem.New(http.StatusUnsupportedMediaType, "not_gzip",
		"The body has an unsupported Content-Encoding. Send it with gzip or without.")
	brokenGzip = problem.New(http.StatusBadRequest, "invalid_gzip",
		"The body is not gzip, or is cut short. Send it again.")
	largeBody = problem.New(http.StatusRequestEntityTooLarge, "body_too_large",
		"The body is larger than this path accepts. Configure the exporter to send smaller batches.")
	unreadable = problem.New(http.StatusBadRequest, "body_unreadable",
		"The body ended early. Send it again.")
	// Whatever is damaged, the answer is the same: an exporter cannot mend it, and what it was may hold a secret.
	badBody = problem.New(http.StatusBadRequest, "invalid_otlp",
		"The body is not an OTLP request for this path, is damaged or has far too many elements. Nothing was stored.")
)

// read returns a request's body, unpacked, and its kind.
func read(r *http.Request) (body []byte, kind otlp.Kind, err error) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind = otlp.Kind(media); kind != otlp.JSON && kind != otlp.Protobuf {
		return nil, "", otherKind
	}
	var in io.Reader = r.Body
	packed := false
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		if in, err = gzip.NewReader(r.Body); err != nil {
			return nil, "", problemOf(err, true)
		}
		packed = true
	default:
		return nil, "", otherEncoding
	}
	// One byte more than may be tells a body that is too long from one that just fits.
	body, err = io.ReadAll(io.LimitReader(in, maxUnpacked+1))
	switch {
	case err != nil:
		return nil, "", problemOf(err, packed)
	case len(body) > maxUnpacked:
		return nil, "", largeBody.With("max_bytes", maxUnpacked)
	}
	return body, kind, nil
}

// problemOf returns the problem of a body that could not be read.
func problemOf(err error, packed bool) error {
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return largeBody.With("max_bytes", large.Limit)
	}
	if p, ok := errors.AsType[*problem.Problem](err); ok {
		return p
	}
	if packed {
		return brokenGzip
	}
	return unreadable
}
