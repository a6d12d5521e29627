package tool

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // a minimal image has no time zones of its own

	"candor/agent"
)

// clockArgs are the arguments of time.
type clockArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"IANA name of a time zone, such as Europe/Berlin; UTC when left out"`
}

// clockResult is the result of time. Time is in RFC 3339 format, to the second and with
// the offset of the zone.
type clockResult struct {
	Time    string `json:"time"`
	Zone    string `json:"zone"`
	Weekday string `json:"weekday"`
}

// clock returns the tool time.
func clock() agent.Tool {
	return New("time", "Tells the current date, time and weekday.", now)
}

// now returns the time in a time zone; the empty name means UTC.
func now(_ context.Context, in clockArgs) (clockResult, error) {
	zone, err := time.LoadLocation(in.Zone)
	// "Local" is not an IANA name, and would reveal where the server is.
	if err != nil || in.Zone == "Local" {
		return clockResult{}, fmt.Errorf(
			"there is no time zone %q; give an IANA name such as Europe/Berlin, or leave zone out for UTC", in.Zone)
	}
	t := time.Now().In(zone)
	return clockResult{t.Format(time.RFC3339), zone.String(), t.Weekday().String()}, nil
}
