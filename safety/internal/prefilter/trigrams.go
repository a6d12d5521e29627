package prefilter

import (
	_ "embed"
	"strings"
	"sync"
)

// commonGrams lists the trigrams of prose and code, case folded and without separators,
// a line for each power of two: those of the first line are at one position in 256 or
// more, those of the second at one in 512, and so on. The command `compare grams` of
// safety/oracle counted them in some 100 MB of documents and sources.
//
//go:embed grams.txt
var commonGrams string

// sample is text of the kind that agents write. It adds to commonGrams what documents
// contain less of.
const sample = `I will read the configuration file first to find out which host the
service connects to, because the test that failed mentions a timeout. The request
to https://api.example.com/v1/users returned status 404, so I'm checking the
routes in internal/server/handler.go before changing anything. Running go test
./... to see whether the error is still there. {"name": "search", "arguments":
{"query": "the latest release", "limit": 10, "path": "/usr/local/share"}} The user
asked for a summary of the document; I need to open it, extract the sections and
compare them with the previous version. if err != nil { return fmt.Errorf("open
%s: %w", path, err) } for i := range items { total += items[i].count } commit
3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
import (
	"context"
	"encoding/json"
)
const result = await fetch(url, { method: "POST", headers }); console.log(result);
The tool listed five files in the workspace folder; three of them are tests. Next
step: update the function, then run the linter again. 2026-08-13T10:22:31Z INFO
server started addr=127.0.0.1:8080 pid=4312 [1/3] building image... done in 1.2s
def main(args): parser.add_argument("--output", default=None, help="where to write")
token count, the access rule, an author of the library, a secretary, keyboard input
making, taking, asia, discord, linear search, twitter, sentry, travis, private
and then it would be the same as before; which of these are there, and what else
must have been changed. Account, message, value, amount, mounted, latest interest,
password and secrets are checked against the intended handling of each session.
We should understand how the database connection pool is released under load, so
the standard approach comes to mind: separate commands, smaller commits, no errors.
Let me look at what is missing here, look for its callers and check each of them again.
They never make every other developer system wait, as users and human readers know
information, integration, another organization, support, compare, common, method.`

// commonness returns how often trigrams occur, in 32768 positions of text, keyed by
// their hash, and the same for the first two bytes of trigrams, keyed by bigram. Unlisted
// ones are rare; filing keywords under them gives few candidates in ordinary text.
var commonness = sync.OnceValue(func() map[uint32]int {
	common, weight := map[uint32]int{}, 128
	for grams := range strings.Lines(commonGrams) {
		for i := 0; i+3 <= len(grams); i += 3 {
			common[Trigram(grams, i)] = weight
			common[bigram(grams, i)] += weight
		}
		weight /= 2
	}
	for i := 0; i+3 <= len(sample); i++ {
		common[Trigram(sample, i)] += 4
		common[bigram(sample, i)] += 4
	}
	return common
})
