package tool

import (
	"context"
	"fmt"
	"time"
	_ "time/tzdata" // a minimal image has no time zones of its own

	"candor/agent"
)

type clockArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"time zone by its IANA name, such as Europe/Berlin; UTC when left out"`
}

type clockResult struct {
	Time    string `json:"time"`
	Zone    string `json:"zone"`
	Weekday string `json:"weekday"`
}

func clock() agent.Tool {
	return New("time", "Tells the current date, time and weekday.", now)
}

func now(_ context.Context, in clockArgs) (clockResult, error) {
	zone, err := time.LoadLocation(in.Zone)
	// "Local" would tell where the server stands, and is no IANA name.
	if err != nil || in.Zone == "Local" {
		return clockResult{}, fmt.Errorf(
			"there is no time zone %q; give an IANA name such as Europe/Berlin, or leave zone out for UTC", in.Zone)
	}
	t := time.Now().In(zone)
	return clockResult{t.Format(time.RFC3339), zone.String(), t.Weekday().String()}, nil
}
