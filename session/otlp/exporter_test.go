package otlp

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	collectlogs "go.opentelemetry.io/proto/slim/otlp/collector/logs/v1"
	collecttrace "go.opentelemetry.io/proto/slim/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/slim/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"candor/session"
)

func TestATurnArrivesAsATraceWithItsLogs(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	var c collector
	server := httptest.NewServer(&c)
	defer server.Close()
	x := start(t, server.URL, io.Discard)
	s, thread := newThread(t, observed(x))
	runTurn(t, s, thread, session.Narrated{Step: 1, Text: said("I look."), Source: session.FromModel}, lookup("call_1"),
		session.ApprovalAsked{Call: "call_1", Request: "r"},
		session.ApprovalAnswered{Call: "call_1", Request: "r", Answer: session.Approve}, returned("call_1"),
		session.StepEnded{Step: 1}, session.TurnCompleted{Response: said("noon")})
	x.Close()
	x.Close()
	assert.Len(t, named(c.spans), 4)
	assert.Contains(t, named(c.spans), "execute_tool clock")
	assert.Equal(t, []string{"candor.narrative", "candor.approval.asked", "candor.approval.answered"}, c.logs)
	assert.Equal(t, map[string]string{"service.name": "candor", "service.version": "1.2"}, c.resource)
	for _, r := range c.requests {
		assert.Equal(t, "Bearer sesame", r.Header.Get("Authorization"))
		assert.Equal(t, "application/x-protobuf", r.Header.Get("Content-Type"))
	}
	assert.Equal(t, Counts{Sent: 1}, x.Counts())
}

func TestACollectorThatIsBusyIsAskedAgainAndOneThatRefusesIsNot(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []int // to the first requests; 0 is a broken connection
		after   time.Duration
		tried   int
		want    Counts
	}{
		"busy twice":        {[]int{503, 429}, 3 * time.Second, 3, Counts{Sent: 1}},
		"not there at once": {[]int{0}, time.Second, 2, Counts{Sent: 1}},
		"never there":       {[]int{0, 0, 0, 0, 0}, 15 * time.Second, 5, Counts{Lost: 1}},
		"refusing":          {[]int{400}, 0, 1, Counts{Lost: 1}},
		"redirecting":       {[]int{302}, 0, 1, Counts{Lost: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var c collector
				answers := tt.answers
				c.answer = func(string) *http.Response {
					if len(answers) == 0 {
						return nil
					}
					a := status(answers[0])
					answers = answers[1:]
					return a
				}
				x, log := startOver(t, &c)
				s, thread := newThread(t, observed(x))
				began := time.Now()
				runTurn(t, s, thread, session.TurnCompleted{Response: said("noon")})
				for x.Counts().Sent+x.Counts().Lost == 0 {
					time.Sleep(100 * time.Millisecond) // fake time
				}
				assert.InDelta(t, tt.after, time.Since(began), float64(200*time.Millisecond))
				assert.Len(t, c.requests, tt.tried)
				assert.Equal(t, tt.want, x.Counts())
				x.Close()
				assert.Equal(t, tt.want.Lost > 0, bytes.Contains(log.Bytes(), []byte("not exported")))
				assert.NotContains(t, log.String(), "sesame")
			})
		})
	}
}

func TestACollectorMaySayWhenToComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		first := true
		c.answer = func(string) *http.Response {
			if !first {
				return nil
			}
			first = false
			a := status(http.StatusServiceUnavailable)
			a.Header.Set("Retry-After", "3600")
			return a
		}
		x, _ := startOver(t, &c)
		s, thread := newThread(t, observed(x))
		began := time.Now()
		runTurn(t, s, thread, session.TurnCompleted{})
		for x.Counts().Sent == 0 {
			time.Sleep(time.Second) // fake time
		}
		assert.InDelta(t, maxPause, time.Since(began), float64(2*time.Second), "but not an hour")
		x.Close()
	})
}

func TestSpansThatACollectorRefusedAreLost(t *testing.T) {
	for path, partial := range map[string]proto.Message{
		"/base/v1/traces": &collecttrace.ExportTraceServiceResponse{
			PartialSuccess: &collecttrace.ExportTracePartialSuccess{RejectedSpans: 1}},
		"/base/v1/logs": &collectlogs.ExportLogsServiceResponse{
			PartialSuccess: &collectlogs.ExportLogsPartialSuccess{RejectedLogRecords: 1}},
	} {
		synctest.Test(t, func(t *testing.T) {
			var c collector
			raw, err := proto.Marshal(partial)
			require.NoError(t, err)
			c.answer = func(asked string) *http.Response {
				a := status(http.StatusOK)
				a.Header.Set("Content-Type", "application/x-protobuf")
				if asked == path {
					a.Body = io.NopCloser(bytes.NewReader(raw))
				}
				return a
			}
			x, _ := startOver(t, &c)
			s, thread := newThread(t, observed(x))
			runTurn(t, s, thread, session.Narrated{Step: 1, Text: said("I look.")}, session.TurnCompleted{})
			synctest.Wait()
			assert.Equal(t, Counts{Lost: 1}, x.Counts(), path)
			x.Close()
		})
	}
}

// A collector that hangs delays no turn, and what does not fit into the queue is lost.
func TestTurnsDoNotWaitForACollectorAndTheQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		release := make(chan struct{})
		c.answer = func(string) *http.Response { <-release; return nil }
		x, _ := startOver(t, &c)
		s, thread := newThread(t, observed(x))
		runTurn(t, s, thread, session.TurnCompleted{})
		synctest.Wait() // it is being sent
		began := time.Now()
		for range maxQueued + 5 {
			runTurn(t, s, thread, session.TurnCompleted{})
		}
		assert.Equal(t, began, time.Now())
		assert.Equal(t, Counts{Lost: 5, Waiting: maxQueued}, x.Counts())
		close(release)
		synctest.Wait()
		assert.Equal(t, Counts{Sent: maxQueued + 1, Lost: 5}, x.Counts())
		x.Close()
	})
}

func TestClosingSendsWhatItHasTimeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		c.answer = func(string) *http.Response { return status(http.StatusServiceUnavailable) }
		x, _ := startOver(t, &c)
		s, thread := newThread(t, observed(x))
		for range 3 {
			runTurn(t, s, thread, session.TurnCompleted{})
		}
		began := time.Now()
		x.Close()
		assert.Equal(t, flushTime, time.Since(began))
		assert.Equal(t, uint64(3), x.Counts().Lost)
	})
}

func TestARequestHasABoundedNumberOfSpans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		x, _ := startOver(t, &c)
		spans := make([]*tracepb.Span, 2*maxBatch+1)
		for i := range spans {
			spans[i] = &tracepb.Span{}
		}
		require.NoError(t, x.post(t.Context(), spans, nil))
		assert.Len(t, c.requests, 3)
		assert.Len(t, c.spans, len(spans))
		x.Close()
	})
}

func TestTheTurnsOfAJobAreSentWhenItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		x, _ := startOver(t, &c)
		s, _ := newThread(t, observed(x))
		j, err := s.OpenJob(session.JobOpened{Title: said("tidy"), Prompt: said("tidy up")})
		require.NoError(t, err)
		work := func(call string) {
			_, err = s.PostToJob(j.ID, []session.Post{
				{Body: session.JobToolUse{Call: call, Tool: said("shell"),
					Rationale: session.Rationale{Text: said("to see"), Source: session.FromModel}}},
				{Body: session.JobToolResult{Call: call, Tool: said("shell"), Outcome: session.Success}},
				{Body: session.JobEnded{Success: true, Message: said("done")}},
			})
			require.NoError(t, err)
			synctest.Wait()
		}
		work("call_1")
		first := c.spans
		require.Len(t, first, 2)
		assert.Equal(t, "to see", valueOf(named(first)["execute_tool shell"].Attributes, "candor.tool.rationale"))
		assert.Equal(t, j.ID, valueOf(first[0].Attributes, "gen_ai.conversation.id"))
		assert.Equal(t, "1", valueOf(first[0].Attributes, "candor.job.run"))

		_, err = s.ChangeJob(j.ID, session.JobRestarted{})
		require.NoError(t, err)
		work("call_2")
		require.Len(t, c.spans, 4, "the run before was sent already")
		assert.Equal(t, "2", valueOf(c.spans[2].Attributes, "candor.job.run"))
		assert.NotEqual(t, first[0].TraceId, c.spans[2].TraceId)
		x.Close()
	})
}

func TestATurnThatWasDroppedMeanwhileIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c collector
		x, _ := startOver(t, &c)
		s, thread := newThread(t, session.Limits{})
		x.Observe(s, session.Event{Ref: session.Ref{Thread: thread, Turn: 1}, Body: session.TurnCompleted{}})
		x.Observe(s, session.Event{Ref: session.Ref{Job: "gone"}, Body: session.JobCancelled{}})
		x.Observe(s, session.Event{Ref: session.Ref{Thread: thread, Turn: 1}, Body: session.StepEnded{}})
		synctest.Wait()
		assert.Equal(t, Counts{Lost: 2}, x.Counts())
		assert.Empty(t, c.requests)
		x.Close()
	})
}
