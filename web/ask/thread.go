package ask

import (
	"context"
	"errors"
	"strings"

	"candor/web/client"
)

// minBeginning is how long the beginning of an id has to be, as for the command line.
const minBeginning = 4

// ofThread returns what run does for the conversation with an id, or with the only one that begins with a word. Whole
// ids are tried first, so that the list of conversations, which may be long, is not read for them.
func ofThread(ctx context.Context, c *client.Client, word string,
	run func(id string) (Decisions, error)) (Decisions, error) {
	out, err := run(word)
	if !client.Is(err, "no_thread") {
		return out, err
	}
	id, err := threadLike(ctx, c, word)
	if err != nil {
		return Decisions{}, err
	}
	return run(id)
}

// threadLike returns the id of the one conversation whose id begins with a word.
func threadLike(ctx context.Context, c *client.Client, word string) (string, error) {
	all, _, err := c.Threads(ctx)
	if err != nil {
		return "", err
	}
	found := ""
	for _, t := range all {
		switch {
		case len(word) < minBeginning || !strings.HasPrefix(t.ID, word):
		case found != "":
			return "", errors.New("several threads have an id that begins so: give more of it")
		default:
			found = t.ID
		}
	}
	if found == "" {
		return "", errors.New("there is no such thread: recent_decisions and search_reasons have the thread_id of " +
			"each decision")
	}
	return found, nil
}
