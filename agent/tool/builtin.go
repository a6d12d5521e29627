package tool

import (
	"context"
	"fmt"
	"os"
	"time"
	_ "time/tzdata" // a minimal image has no time zones of its own

	"candor/agent"
	"candor/safety"
)

// builtinTimeout limits each run of a built-in tool. It is enough to search a large
// workspace on a slow disk.
const builtinTimeout = 20 * time.Second

// Builtin returns all built-in tools: time, file_list, file_read, file_search,
// memory_save and memory_search, each with a time limit of 20 seconds. The file tools see
// only root, which the caller closes after the last run. Notes are cleaned by layer, are
// held in memory and live as long as the tools. All but memory_save are read-only.
//
// private are files and folders that the file tools refuse wherever in the workspace they
// are, by whatever name and link, and even if they are replaced later. Every [StateFolder]
// in the workspace is private without being named.
func Builtin(root *os.Root, layer *safety.Layer, private ...string) []agent.Tool {
	// The tools of one folder share its root, and those for notes share the notes.
	files, notes := workspace{root, privateIn(root, private)}, &memory{layer: layer, notes: map[string][]note{}}
	tools := []agent.Tool{
		ReadOnly(clock()),
		ReadOnly(New("file_list", "Lists the files and folders in a folder of the workspace.", files.list)),
		ReadOnly(New("file_read", "Reads the contents of a text file in the workspace, up to 64 KiB a call.",
			files.read)),
		ReadOnly(New("file_search", "Finds text in the files of the workspace and gives the lines that hold it.",
			files.searchFiles)),
		New("memory_save", "Remembers a note for the user, beyond this conversation.", notes.save),
		ReadOnly(New("memory_search", "Finds what was remembered for the user in earlier notes.", notes.recall)),
	}
	for i, t := range tools {
		tools[i] = WithTimeout(t, builtinTimeout)
	}
	return tools
}

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
