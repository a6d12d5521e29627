package sse

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Wanted is what a client asks of a stream.
type Wanted struct {
	// ID is that of the event behind which the stream continues; empty for none. InQuery says that the client wrote it
	// into the address: a browser sends the header by itself, at times with the id of another server's event.
	ID      string
	InQuery bool
	// Max is the most bytes that the client takes of an event; 0 for any number.
	Max int
}

// MinEvent is the least that a client may ask events to be cut to, in bytes.
const MinEvent = 4 << 10

// boundName is the parameter with Wanted.Max.
const boundName = "max_event_bytes"

// cursorName is the parameter with Wanted.ID. Libraries spell it in several ways.
const cursorName = "last_event_id"

// nearNames are what clients of other servers call such a parameter, in the form that plainName returns.
var nearNames = []string{"after", "afterid", "cursor", "eventid", "from", "fromid", "lastevent", "lasteventnumber",
	"lasteventseq", "lastid", "lastseq", "lastsequence", "offset", "position", "resume", "resumeafter", "resumefrom",
	"resumeid", "seq", "sequence", "since", "sinceid", "startafter", "startfrom"}

// plainName returns the letters of a parameter's name.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '.' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(name))
}

// Read returns what a request asks of a stream. own are further names that the route has for the cursor. A parameter
// with another such name is an error, since a stream that ignores it would lose events.
func Read(r *http.Request, own ...string) (w Wanted, err error) {
	query := r.URL.Query()
	for _, name := range sortedNames(query) {
		is := plainName(name)
		switch {
		case slices.Contains(own, name), is == plainName(cursorName):
			for _, id := range query[name] {
				if id != "" && w.ID != "" && id != w.ID {
					return Wanted{}, fmt.Errorf("the request names two events to continue behind; name one, as %s",
						cursorName)
				}
				if id != "" {
					w.ID, w.InQuery = id, true
				}
			}
		case slices.Contains(nearNames, is):
			return Wanted{}, fmt.Errorf("there is no such parameter; to continue behind an event, send its id as "+
				"%s, or in the header Last-Event-ID", cursorName)
		case is == plainName(boundName):
			if w.Max, err = strconv.Atoi(query.Get(name)); err != nil || w.Max < MinEvent {
				return Wanted{}, fmt.Errorf("%s has to be a whole number of at least %d", boundName, MinEvent)
			}
		}
	}
	if id := r.Header.Get("Last-Event-ID"); id != "" {
		w.ID, w.InQuery = id, id == w.ID
	}
	return w, nil
}

// maxEvent returns the Wanted.Max of a request that [Read] accepts.
func maxEvent(r *http.Request) (bytes int) {
	for name, values := range r.URL.Query() {
		if plainName(name) == plainName(boundName) {
			bytes, _ = strconv.Atoi(values[0]) // a route refuses what is no number
		}
	}
	return bytes
}

// sortedNames returns the names of parameters, so that a request is answered alike each time.
func sortedNames(query url.Values) (names []string) {
	for name := range query {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
