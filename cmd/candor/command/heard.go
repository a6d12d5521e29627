package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// attachedProtocol marks the conversations of other programs' agents.
const attachedProtocol = "attached"

// printHeard says when the server last heard of each program by each channel. Without a token or a server it says why
// that is not known: whether hooks are set is known all the same.
func printHeard(ctx context.Context, s serverSettings, w io.Writer) {
	var list []client.Thread
	c, err := s.connect()
	if err == nil {
		defer c.Close()
		list, _, err = c.Threads(ctx)
	}
	if err != nil {
		fmt.Fprintf(w, "\nCould not ask the server when each agent last reported: %s\n",
			terminal.CleanLine(withoutCapital(explained(err).Error())))
		return
	}
	heard := lastHeard(list)
	fmt.Fprintf(w, "\nLast report to %s:\n", terminal.CleanLine(s.url))
	// An agent that was never heard has no line of its own: its name is not known.
	if len(heard) == 0 {
		fmt.Fprintln(w, "  none yet")
	}
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		fmt.Fprintf(w, "  %s  %s\n", heard[name].Local().Format("2006-01-02 15:04:05"), terminal.CleanLine(name))
	}
}

// lastHeard returns the latest time of each program and channel among conversations.
func lastHeard(list []client.Thread) map[string]time.Time {
	heard := map[string]time.Time{}
	for _, t := range list {
		if t.Origin == nil || t.Origin.Protocol != attachedProtocol || t.Attached == nil {
			continue
		}
		for _, c := range t.Attached.Channels {
			name := t.Origin.Participant + ", " + c.Channel
			if c.HeardAt.After(heard[name]) {
				heard[name] = c.HeardAt
			}
		}
	}
	return heard
}
