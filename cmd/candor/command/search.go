package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"candor/cmd/candor/progress"
	"candor/cmd/candor/terminal"
	"candor/web/client"
)

// defaultHits is the number of hits that a search shows unless --limit says otherwise: ten fit on a screen. How
// many there may be is for the server to say.
const defaultHits = 10

// facetFlags are the facets that a flag of the same name chooses a value of, in the order in which they are listed,
// with what the flag's help says.
var facetFlags = []struct{ name, usage string }{
	{"tool", "find calls of `TOOL`"},
	{"outcome", "find calls with the outcome `WORD`: success, error, rejected, cancelled or pending"},
	{"source", "find reasons from `WHERE`: model, summary, thought, or fallback (no reason given)"},
	{"agent", "find calls of the sub-agent `NAME`"},
	{"participant", "find what `NAME` did in a space"},
	{"redacted", "find decisions with masked text (true) or without (false): `WHICH`"},
	{"approval", "find calls whose approval was `WORD`: approve, always, deny or expired"},
	{"duration", "find calls that took `TIME`, such as \"over 10 s\""},
	{"rated", "find decisions that you rated `WORD`: good or bad"},
	{"tokens", "find turns with this many tokens, such as \"over 20,000\": `RANGE`"},
}

// The facets are those of the API, under its names, so that a filter can be carried from a command to a request.
// What people ask for most has a flag of its own besides, which needs no value:
//
//	candor reasoning search --failed --tool bash
//	candor reasoning search --outcome error --tool bash

// shortcuts are flags for a value of a facet that people often look for.
var shortcuts = []struct{ name, facet, value, usage string }{
	{"failed", "outcome", "error", "find calls that failed"},
	{"denied", "approval", "deny", "find calls that a person denied"},
	{"no-reason", "source", "fallback", "find calls without a reason"},
	{"masked", "redacted", "true", "find decisions with masked or withheld text"},
}

// searchSettings are the flags of candor reasoning search.
type searchSettings struct {
	client.Search
	remote *remoteSettings // of the command above
}

// searchCommand returns candor reasoning search: the decisions that answer a question, in all conversations
// and jobs of the user. Without words and facets it lists the values of the facets.
//
// Exit status: 0 if something was found; 1 if the server did not answer or refused, or nothing was found; 2 for
// wrong arguments.
func searchCommand(remote *remoteSettings) *cli.Command {
	s := searchSettings{Search: client.Search{Want: map[string][]string{}}, remote: remote}
	flags := []cli.Flag{
		&cli.IntFlag{Name: "limit", Value: defaultHits, Usage: "show at most `N` hits", Destination: &s.Limit},
		&cli.IntFlag{Name: "offset", Usage: "skip the first `N` hits", Destination: &s.Offset},
	}
	// A shortcut and the flag of its facet add up: --failed --outcome rejected finds both.
	want := func(facet string, values ...string) { s.Want[facet] = append(s.Want[facet], values...) }
	for _, f := range shortcuts {
		flags = append(flags, &cli.BoolFlag{Name: f.name, Category: "Facets", Usage: f.usage,
			Action: func(_ context.Context, _ *cli.Command, on bool) error {
				if on {
					want(f.facet, f.value)
				}
				return nil
			}})
	}
	for _, f := range facetFlags {
		flags = append(flags, &cli.StringSliceFlag{Name: f.name, Category: "Facets", Usage: f.usage,
			Action: func(_ context.Context, _ *cli.Command, values []string) error {
				want(f.name, values...)
				return nil
			}})
	}
	return &cli.Command{
		Name: "search", Usage: "find the decisions that answer a question", ArgsUsage: "[WORDS…]",
		Description: helpText("search"), Flags: flags, OnUsageError: shortUsageError, HideHelpCommand: true,
		DisableSliceFlagSeparator: true, // values have commas
		Action: func(ctx context.Context, c *cli.Command) error {
			s.Words = strings.Join(c.Args().Slice(), " ")
			return s.run(ctx, c.Root().Writer, c.Root().ErrWriter)
		},
	}
}

// run searches and prints what was found.
func (s searchSettings) run(ctx context.Context, stdout, stderr io.Writer) error {
	switch {
	case s.Limit < 1:
		return errors.New("--limit: want a number from 1 on")
	case s.Offset < 0:
		return errors.New("--offset: want a number from 0 on")
	}
	style, err := s.remote.style(stdout)
	if err != nil {
		return err
	}
	c, err := s.remote.connect()
	if err != nil {
		return err
	}
	defer c.Close()
	bar := progress.Start(stderr, "searching", 0)
	found, err := c.Search(ctx, s.Search)
	if err == nil {
		err = s.nothing(ctx, c, found)
	}
	bar.Done()
	if err != nil {
		return err
	}
	// Programs get the whole answer, people the values of facets or the hits.
	out := ""
	f := terminal.Finding{Style: style, Now: time.Now(), From: s.Offset, Open: s.remote.toShow}
	switch {
	case s.remote.json:
		out = terminal.SafeJSON(found.Raw) + "\n"
	case s.isOpen():
		out = f.Choices(found, facetNames())
	default:
		out = f.Hits(found)
	}
	_, err = io.WriteString(stdout, out)
	return err
}

// isOpen reports whether nothing was asked for, neither by words nor by a facet.
func (s searchSettings) isOpen() bool { return strings.TrimSpace(s.Words) == "" && len(s.Want) == 0 }

// The order is that of the flags in the help, so that whoever read the one finds their way in the other.

// facetNames returns the names of the facets in their order.
func facetNames() []string {
	var names []string
	for _, f := range facetFlags {
		names = append(names, f.name)
	}
	return names
}

// An answer without hits is no answer: a typing error in a facet would look like a clean record. So the facets
// are asked for once more, without words, and the value that nobody has is named.

// nothing returns an error that says why nothing was found, nil if something was. A value that no decision
// has is named, with the nearest that one has.
func (s searchSettings) nothing(ctx context.Context, c *client.Client, found client.Found) error {
	if len(found.Hits) > 0 || s.isOpen() {
		return nil
	}
	if s.Offset > 0 && s.Offset >= found.Total && found.Total > 0 {
		return misused("there are only %d hits, and --offset %d skips all of them", found.Total, s.Offset)
	}
	if found.Behind {
		return errors.New("nothing was found yet: older turns are still being indexed, so ask again")
	}
	all, err := c.Search(ctx, client.Search{Limit: 1})
	if err != nil {
		return err
	}
	for _, name := range facetNames() {
		for _, value := range s.Want[name] {
			if err := noSuchValue(name, value, all.Facets[name]); err != nil {
				return err
			}
		}
	}
	if len(s.Want) > 0 {
		return errors.New("no decision has these words and these facets")
	}
	return errors.New("no reason, call or message has one of these words")
}

// noSuchValue returns an error if no decision has a value of a facet.
func noSuchValue(facet, value string, items []client.FacetItem) error {
	// The library compares names of commands; the values of a facet are that to it.
	var near []*cli.Command
	inCase := ""
	for _, item := range items {
		if item.Value == value {
			return nil
		}
		if strings.EqualFold(item.Value, value) {
			inCase = fmt.Sprintf("; did you mean %s?", item.Value)
		}
		near = append(near, &cli.Command{Name: item.Value})
	}
	return fmt.Errorf("no decision has the %s %q%s", facet, terminal.CleanLine(value),
		terminal.CleanLine(cmp.Or(inCase, meant(cli.SuggestCommand(near, value), value))))
}

// toShow returns the command that shows a hit of a search, with the flags that this one was given to find the
// server.
func (s *remoteSettings) toShow(h client.Hit) string {
	// What came from the environment or is the default will be found again without a flag.
	words := []string{"candor reasoning"}
	if s.url != defaultServer && s.url != os.Getenv("CANDOR_SERVER") {
		words = append(words, "--server "+s.url)
	}
	if s.tokenFile != defaultTokenFile && s.tokenFile != os.Getenv("CANDOR_TOKEN_FILE") && os.Getenv(tokenEnv) == "" {
		words = append(words, "--token-file "+s.tokenFile)
	}
	if h.JobID != "" {
		words = append(words, "--job "+h.JobID+" all")
	} else {
		words = append(words, fmt.Sprintf("%.8s %d", h.ThreadID, h.TurnNumber))
	}
	return strings.TrimSpace(strings.Join(append(words, h.CallID), " "))
}

// onlyCall returns the turns with one call of theirs, and what was said in its step.
func onlyCall(turns []client.Turn, call string) ([]client.Turn, error) {
	// The turn is copied where it changes: its reasoning is shared with the answer of the server.
	for _, t := range turns {
		if t.Reasoning == nil {
			continue
		}
		at := slices.IndexFunc(t.Reasoning.Decisions, func(d client.Decision) bool { return d.CallID == call })
		if at < 0 {
			continue
		}
		r := *t.Reasoning
		r.Decisions = r.Decisions[at : at+1]
		r.Narratives = slices.DeleteFunc(slices.Clone(r.Narratives), func(n client.StepNarrative) bool {
			return n.Step != r.Decisions[0].Step || n.Agent != r.Decisions[0].Agent
		})
		if len(t.Reasoning.Narratives) > 0 {
			r.Narrative = "" // it is that of another step, or among the others
		}
		t.Reasoning = &r
		return []client.Turn{t}, nil
	}
	return nil, fmt.Errorf("there is no call %s there", call)
}
