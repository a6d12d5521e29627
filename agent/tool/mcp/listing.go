package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"candor/agent"
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

// maxRelayedSchemas bounds what the schemas of one relayed list cost together once they are
// compiled, in bytes.
const maxRelayedSchemas = 4 << 20

// RelayedTools reads the result of tools/list that somebody relays, such as a participant of a
// space, instead of a server that we are connected to. It returns the tools as models may see
// them, under names of the form owner__tool that are unique in the list, in the list's order. The
// same limits hold as for a server's: a tool with an invalid definition is left out, and so is
// what is beyond them. clean makes text of others fit to be shown.
func RelayedTools(owner string, list json.RawMessage, clean func(string) string) ([]agent.Spec, error) {
	var page sdk.ListToolsResult
	if len(list) > maxListBytes || json.Unmarshal(cmpRaw(mendResult(list), string(list)), &page) != nil {
		return nil, errors.New("the list of tools cannot be read")
	}
	l := listing{
		catalog: catalog{server: owner, clean: clean, limit: maxRelayedSchemas}, seen: map[string]bool{},
	}
	l.add(page.Tools)
	server := shown(owner, clean)
	taken := map[string]bool{}
	specs := make([]agent.Spec, 0, len(l.tools))
	for _, d := range l.tools {
		name := origin{server, d.label}.name(prefixed)
		if taken[name] {
			name = origin{server, d.label}.name(hashed)
		}
		if taken[name] {
			continue
		}
		taken[name] = true
		specs = append(specs, agent.Spec{
			Name: name, Description: d.description, Schema: d.schema, ReadOnly: d.readOnly,
			Origin: agent.Origin{Server: owner, Tool: d.name, Names: []string{name}, Definition: d.digest},
		})
	}
	return specs, nil
}

// RelayedResult reads the result of tools/call that somebody relays, with the bounds of a
// server's. It fails with the tool's own words if the tool says that it failed. A result that is
// not of the shape that MCP prescribes is returned as it is.
func RelayedResult(answer json.RawMessage) (json.RawMessage, error) {
	var in sdk.CallToolResult
	if fixed := mendResult(answer); fixed != nil {
		answer = fixed
	}
	known := json.Unmarshal(answer, &in) == nil
	if known && (len(in.Content) > 0 || in.StructuredContent != nil || in.IsError) {
		return convert(&in, maxResult)
	}
	if len(answer) > maxResult || !json.Valid(answer) {
		return nil, errors.New("the result cannot be read, or is too long")
	}
	return answer, nil
}
