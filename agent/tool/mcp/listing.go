package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// The bounds of a list of tools, and of what a session holds of its lists.
const (
	maxTools     = 512
	maxEntries   = 2 * maxTools // tools that cannot be used included
	maxPages     = 64
	maxListBytes = 4 << 20
	maxKept      = 16 << 20
)

// listing is a server's list of tools as far as it was read.
type listing struct {
	catalog
	tools   []definition
	seen    map[string]bool
	bytes   int
	dropped int
	why     []string // of the first that were dropped, with their names
	odd     []string // the first that are offered as taking anything, and why
	odds    int
	beyond  bool // the list is longer than we read
	broken  bool // a page of it could not be read
}

// list returns the server's tools without those that cannot be used: an invalid definition
// or a repeated name costs only that tool, and a list without end what is beyond the bounds.
func (s *supervisor) list(on *session) ([]definition, error) {
	can := on.client.InitializeResult().Capabilities
	if can == nil || can.Tools == nil {
		return nil, nil
	}
	ctx, stop := context.WithTimeout(on.ctx, maxStart)
	defer stop()
	l := listing{
		catalog: catalog{server: s.key, clean: s.clean, known: s.definitions()}, seen: map[string]bool{},
	}
	cursors := map[string]bool{}
	for cursor := ""; ; {
		page, err := on.client.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil && (cursor == "" || ctx.Err() != nil) {
			return nil, err
		}
		if err != nil { // what came before is as good as it was
			l.broken = true
			break
		}
		read := size(page)
		if l.bytes += read; cursor != "" && !on.cursors[cursor] {
			on.kept += read
		}
		cursors[cursor] = true
		cursor = page.NextCursor
		l.add(page.Tools)
		l.beyond = l.beyond || cursor != "" && (len(cursors) == maxPages || l.bytes > maxListBytes || cursors[cursor])
		if cursor == "" || l.beyond {
			break
		}
	}
	if on.cursors = cursors; on.kept > maxKept {
		return nil, failf("it listed more than %d bytes of tools", maxKept)
	}
	s.logDropped(&l)
	return l.tools, nil
}

// add adds the tools of a page, up to the bounds.
func (l *listing) add(tools []*sdk.Tool) {
	for _, t := range tools {
		if len(l.tools) == maxTools || len(l.tools)+l.dropped == maxEntries {
			l.beyond = true
			return
		}
		d, err := definition{}, errors.New("its name is taken by another tool of the server")
		if !l.seen[t.Name] {
			d, err = l.define(t)
		}
		l.seen[t.Name] = true
		if err == nil && d.odd != "" {
			if l.odds++; l.odds <= 3 {
				l.odd = append(l.odd, cleanName(d.label)+": "+d.odd)
			}
		}
		if err == nil {
			l.tools = append(l.tools, d)
			continue
		}
		if l.dropped++; l.dropped <= 3 {
			l.why = append(l.why, cleanName(shown(t.Name, l.clean))+": "+err.Error())
		}
	}
}

// logDropped logs how many tools are not offered, or as taking anything, and why, unless the list before was
// the same in that.
func (s *supervisor) logDropped(l *listing) {
	said := fmt.Sprint(l.dropped, l.beyond, l.broken, l.why, l.odds, l.odd)
	if said == s.lastDrop || l.dropped == 0 && l.odds == 0 && !l.beyond && !l.broken {
		s.lastDrop = said
		return
	}
	s.lastDrop = said
	if !s.dropped.next() {
		return
	}
	if l.beyond {
		s.log.Warn("an MCP server lists more tools than it may; the rest is dropped",
			"server", s.name, "kept", len(l.tools), "times", s.dropped.times)
	}
	if l.broken {
		s.log.Warn("a page of the tools of an MCP server cannot be read; the tools before it are kept",
			"server", s.name, "kept", len(l.tools), "times", s.dropped.times)
	}
	if l.dropped > 0 {
		s.log.Warn("tools of an MCP server are dropped",
			"server", s.name, "count", l.dropped, "first", strings.Join(l.why, "; "), "times", s.dropped.times)
	}
	if l.odds > 0 {
		s.log.Warn("tools of an MCP server have no schema that can be used; they are offered as taking anything",
			"server", s.name, "count", l.odds, "first", strings.Join(l.odd, "; "), "times", s.dropped.times)
	}
}
