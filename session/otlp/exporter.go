package otlp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	commonpb "go.opentelemetry.io/proto/slim/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/slim/otlp/resource/v1"

	"candor/safety"
	"candor/session"
)

const (
	// maxQueued is how many ended turns wait to be sent.
	maxQueued = 1024
	// flushTime is how long Close waits for what is left to be sent.
	flushTime = 2 * time.Second
)

// Options say where to send turns, and what of them.
type Options struct {
	URL     *url.URL    // of the collector; see ParseURL
	Header  http.Header // of each request, such as its authorization
	About   About
	Version string // of the program
	Log     *slog.Logger
}

// Exporter sends turns that have ended to a collector. It owns one goroutine, which Close stops
// and awaits. It is safe for concurrent use.
type Exporter struct {
	options  Options
	client   *http.Client
	resource *resourcepb.Resource
	scope    *commonpb.InstrumentationScope
	queue    chan endedPart

	sent, lost atomic.Uint64

	stop   sync.Once
	over   chan struct{} // closed by Close
	done   chan struct{} // closed when the goroutine has ended
	cancel context.CancelFunc
}

// endedPart is a turn, or the run of a job, that ended at a position of its session's log.
type endedPart struct {
	session *session.Session
	ref     session.Ref
	at      uint64
}

// Counts are how many turns were sent and lost so far, and how many wait.
type Counts struct {
	Sent, Lost uint64
	Waiting    int
}

// Start returns an exporter and begins to send.
func Start(o Options) *Exporter {
	var about attributes
	about.word(attrServiceName, "candor")
	about.word(attrServiceVersion, o.Version)
	ctx, cancel := context.WithCancel(context.Background())
	x := &Exporter{
		cancel: cancel, options: o, client: newClient(), resource: &resourcepb.Resource{Attributes: about},
		scope: &commonpb.InstrumentationScope{Name: "candor/session/otlp", Version: o.Version},
		queue: make(chan endedPart, maxQueued), over: make(chan struct{}), done: make(chan struct{}),
	}
	go x.run(ctx)
	return x
}

// Observe is told each event, and queues the turn or job that it ends. It returns at once, and
// may be called while the session is locked. A nil Exporter observes nothing.
func (x *Exporter) Observe(own *session.Session, e session.Event) {
	if x == nil {
		return
	}
	switch e.Body.(type) {
	case session.TurnCompleted, session.TurnFailed, session.TurnInterrupted, session.JobEnded, session.JobCancelled:
	default:
		return
	}
	select {
	case x.queue <- endedPart{own, session.Ref{Thread: e.Thread, Turn: e.Turn, Job: e.Job}, e.Seq}:
	default:
		x.lost.Add(1)
	}
}

// Counts returns what became of the turns so far. The runs of a job count by their turns.
func (x *Exporter) Counts() Counts {
	return Counts{Sent: x.sent.Load(), Lost: x.lost.Load(), Waiting: len(x.queue)}
}

// Close sends what waits, for two seconds at most, and returns when nothing of the exporter runs
// any more. It may be called more than once. What is observed afterwards is not sent.
// A nil Exporter has nothing to send.
func (x *Exporter) Close() {
	if x == nil {
		return
	}
	x.stop.Do(func() { close(x.over) })
	defer time.AfterFunc(flushTime, x.cancel).Stop()
	<-x.done
}

// run sends what is queued until Close is called, and then what is left, until ctx ends.
func (x *Exporter) run(ctx context.Context) {
	defer close(x.done)
	defer x.cancel()
	defer x.client.CloseIdleConnections()
	for {
		select {
		case p := <-x.queue:
			x.export(ctx, p)
		case <-x.over:
			x.flush(ctx)
			return
		}
	}
}

// flush sends what is left in the queue. What it has no time for is lost.
func (x *Exporter) flush(ctx context.Context) {
	for ctx.Err() == nil {
		select {
		case p := <-x.queue:
			x.export(ctx, p)
		default:
			return
		}
	}
	x.lost.Add(uint64(len(x.queue)))
}

// export sends what ended. What was dropped from memory meanwhile is lost.
func (x *Exporter) export(ctx context.Context, p endedPart) {
	if p.ref.Job != "" {
		for _, t := range x.turnsOfRun(p) {
			x.send(ctx, t, safety.Text{}, nil)
		}
		return
	}
	t, err := p.session.Turn(p.ref.Thread, p.ref.Turn)
	events, gone := p.session.TurnEvents(p.ref.Thread, p.ref.Turn)
	thread, unknown := p.session.Thread(p.ref.Thread)
	if err != nil || gone != nil || unknown != nil {
		x.lost.Add(1)
		return
	}
	x.send(ctx, t, thread.Origin.Participant, events)
}

// turnsOfRun returns the turns of the run of a job that ended, but for prompts that no worker came
// to.
func (x *Exporter) turnsOfRun(p endedPart) []session.Turn {
	const all = 1 << 30
	events, _, err := p.session.JobEvents(p.ref.Job, 0, all)
	if err != nil {
		x.lost.Add(1)
		return nil
	}
	events = slices.DeleteFunc(slices.Clone(events), func(e session.Event) bool { return e.Seq > p.at })
	turns := session.JobTurns(events)
	if len(turns) == 0 { // the run was dropped from memory
		x.lost.Add(1)
		return nil
	}
	run := turns[len(turns)-1].Run
	return slices.DeleteFunc(turns, func(t session.Turn) bool { return t.Run != run || t.EndedAt.IsZero() })
}

// ParseURL reads the address of a collector, to which requests append v1/traces and v1/logs. Its
// errors do not repeat the address, which may have a password.
func ParseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return nil, errors.New("this is no URL; it looks like http://127.0.0.1:4318")
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, errors.New("the URL has to begin with http:// or https:// and to name a host, " +
			"as http://127.0.0.1:4318 does")
	case u.User != nil:
		return nil, errors.New("the URL has a password, which other users can read: put it into a header")
	case u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the URL has a query or a fragment, to which no path can be appended")
	}
	return u, nil
}

// ParseHeader reads a list of headers such as authorization=Bearer%20TOKEN,x-tenant=1, as
// OpenTelemetry writes it. It also returns their values, which are secrets. Its errors repeat
// nothing of the list.
func ParseHeader(list string) (h http.Header, values []string, err error) {
	h = http.Header{}
	n := 0
	for entry := range strings.SplitSeq(list, ",") {
		if n++; strings.TrimSpace(entry) == "" {
			continue
		}
		name, value, found := strings.Cut(entry, "=")
		name = strings.TrimSpace(name)
		value, failed := url.PathUnescape(strings.TrimSpace(value))
		if !found || failed != nil || !isToken(name) || strings.ContainsFunc(value, isControl) {
			return nil, nil, fmt.Errorf("entry %d is not NAME=VALUE, with %%2C for a comma in a value", n)
		}
		h.Add(name, value)
		values = append(values, value)
	}
	return h, values, nil
}

// isToken reports whether a text can be the name of a header.
func isToken(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
