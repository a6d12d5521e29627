package web

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/session"
	"candor/web/openapi"
	"candor/web/problem"
	"candor/web/view"
)

// describe handles GET /api/openapi.json: all routes of the server, those of mounted packages too, as
// an OpenAPI document. It needs no token, and says nothing of the server but what it can do.
func (s *Server) describe(c echo.Context) error {
	s.describeOnce.Do(func() { s.description = s.openAPI().JSON() })
	return c.JSON(http.StatusOK, json.RawMessage(s.description))
}

// openAPI describes the routes that are registered. A test of cmd/candor/app does not allow one whose
// description is empty.
func (s *Server) openAPI() *openapi.Document {
	d := openapi.New("Candor", "1", problem.Problem{})
	d.Enum([]session.State{
		session.Queued, session.Processing, session.Completed, session.Failed, session.Interrupted,
	})
	d.Enum([]session.Outcome{
		session.Pending, session.Success, session.Errored, session.Rejected, session.Cancelled, session.Unknown,
	})
	d.Enum([]session.Source{session.FromModel, session.FromFallback, session.FromSummary, session.FromThought})
	d.Enum([]session.Answer{session.Approve, session.Always, session.Deny, session.Expired, session.Withdrawn})
	d.Enum([]session.Rating{session.Good, session.Bad, session.Unrated})
	d.Enum([]session.Channel{session.FromFile, session.FromHooks, session.FromTelemetry, session.FromWrapper})
	d.Enum([]session.SealKind{session.SealEncrypted, session.SealSignature})
	d.Enum(session.Stops())
	d.Enum([]session.JobState{
		session.JobPending, session.JobRunning, session.JobCompleted, session.JobFailed, session.JobStopped,
	})
	d.Enum([]session.NoteKind{
		session.NoteChat, session.NoteThought, session.NoteConclusion, session.NoteCancel, session.NoteReject,
		session.NoteShutdown, session.NoteOther,
	})
	for _, r := range slices.SortedFunc(slices.Values(s.echo.Routes()), byPath) {
		d.Add(r.Method, r.Path, s.operationOf(r))
	}
	return d
}

// byPath compares two routes by path, and then by method.
func byPath(a, b *echo.Route) int {
	return cmp.Or(strings.Compare(a.Path, b.Path), strings.Compare(a.Method, b.Method))
}

// StreamEvents has a value of the data of each event that a stream of this server may have, by the
// event's name.
func StreamEvents() map[string]any {
	all := view.ChatEvents()
	maps.Copy(all, view.JobsEvents())
	all["position"], all["resync"], all["unavailable"] = positionData{}, resyncData{}, unavailableData{}
	return all
}

// The data of the events with which a stream speaks of itself. They are written by hand where they
// are sent, which a test holds against these types.
type (
	// positionData tells where a stream begins that was asked for without a cursor.
	positionData struct {
		Type    string `json:"type"`
		EventID string `json:"event_id"`
	}
	// resyncData tells that the place that the client asked for is gone.
	resyncData struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	}
	// unavailableData tells that the stream ends because of the storage.
	unavailableData struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"message"`
	}
)
