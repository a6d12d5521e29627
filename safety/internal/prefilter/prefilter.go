package prefilter

import (
	_ "embed"
	"strings"
	"sync"

	"candor/safety/internal/lex"
)

// Keyword is a literal that every match of a rule contains. The caller sets Literal,
// Fold, Context and Rule; [New] sets the rest.
type Keyword struct {
	Gram uint32 // hash of the trigram that the keyword is filed under
	Off  int    // offset of that trigram in Literal

	// The first eight bytes of Literal as a number, a mask of those that count, and the
	// bits that fold their case. One comparison with them rejects nearly all other text.
	first, mask, lower uint64

	Literal string // at least three bytes
	Fold    bool   // matches in either case; Literal is in lower case then
	Context        // what surrounds the keyword in every match
	Rule    int    // index of the rule it belongs to
	Slot    int    // index of the keyword among those passed to New
}

// Context says which bytes may surround a keyword for its rule to match. A nil class
// allows any byte, and the end of the text.
type Context struct {
	Prev *lex.Class // the byte before the keyword; the keyword may also start the text
	Next *lex.Class // the byte after the keyword
	Far  *lex.Class // the byte Skip positions after Next's
	Skip int
}

// Fits reports whether the keyword at s[at:end] may belong to a match. It checks Prev
// and Far; the filter has used Next, and the rule checks it again.
func (b *Context) Fits(s string, at, end int) bool {
	if b.Prev != nil && at > 0 && !b.Prev[s[at-1]] {
		return false
	}
	return b.Far == nil || end+b.Skip < len(s) && b.Far[s[end+b.Skip]]
}

// pack sets the numbers that Matches compares from the first eight bytes of Literal.
func (kw *Keyword) pack() {
	for k := range min(len(kw.Literal), 8) {
		c := kw.Literal[k]
		kw.first |= uint64(c) << (8 * k)
		kw.mask |= 0xff << (8 * k)
		if kw.Fold && lex.IsLetter(c) {
			kw.lower |= 0x20 << (8 * k)
		}
	}
}

// Filter finds, in one pass, the positions of a text where a keyword may be. It is
// read-only once made and safe for concurrent use.
type Filter struct {
	near     nearby
	heads    [buckets + 1]uint16 // bucket b is Keywords[heads[b]:heads[b+1]]
	Keywords []Keyword           // sorted by bucket
}

// buckets is the number of buckets that keywords are sorted into, by the upper 14 bits
// of their trigram's hash.
const buckets = 1 << (32 - bucketShift)

const bucketShift = 18

// New returns a filter for the keywords, which it completes in place. Each
// keyword has at least three bytes and is filed under its rarest trigram.
func New(keywords []Keyword) *Filter {
	common := commonness()
	f := &Filter{}
	starts := map[uint32]int{} // keywords of three bytes by their first two
	for _, kw := range keywords {
		if len(kw.Literal) == 3 {
			starts[bigram(kw.Literal, 0)]++
		}
	}
	load := map[uint32]int{} // keywords by the trigram they are filed under
	for k := range keywords {
		kw := &keywords[k]
		kw.pack()
		kw.Slot = k
		beside := kw.file(common, load)
		load[kw.Gram]++
		f.near[kw.Gram>>16] |= atHere
		switch {
		case beside > kw.Off:
			f.near[Trigram(kw.Literal, beside)>>16] |= atPrev
		case beside >= 0:
			f.near[Trigram(kw.Literal, beside)>>16] |= atNext
		default:
			f.fileShort(kw, common, starts)
		}
	}
	f.sort(keywords)
	return f
}

// sort sorts the keywords into their buckets, in each of which they keep their order.
func (f *Filter) sort(keywords []Keyword) {
	for _, kw := range keywords {
		f.heads[kw.Gram>>bucketShift+1]++
	}
	for b := 1; b < len(f.heads); b++ {
		f.heads[b] += f.heads[b-1]
	}
	f.Keywords = make([]Keyword, len(keywords))
	next := f.heads
	for _, kw := range keywords {
		b := kw.Gram >> bucketShift
		f.Keywords[next[b]] = kw
		next[b]++
	}
}

// file chooses the trigram that kw is filed under and returns the offset of an adjacent
// one, so that the two together are as rare as possible and shared with few other
// keywords. It returns -1 if kw has only one trigram.
func (kw *Keyword) file(common, load map[uint32]int) (beside int) {
	kw.Off, beside = 0, -1
	best := 0
	for i := 0; i+4 <= len(kw.Literal); i++ {
		here, next := common[Trigram(kw.Literal, i)], common[Trigram(kw.Literal, i+1)]
		if n := 64*(here+next) + min(load[Trigram(kw.Literal, i)]/3, 63); beside < 0 || n < best {
			best, kw.Off, beside = n, i, i+1
			if next < here {
				kw.Off, beside = i+1, i
			}
		}
	}
	kw.Gram = Trigram(kw.Literal, kw.Off)
	return beside
}

// fileShort makes near pass a keyword of three bytes. Its adjacent trigram includes a
// byte of the context: either the byte before it and its first two, or its last two and
// the byte after it, whichever is rarer. Every byte that the context allows there is
// entered. Keywords with the same first two bytes share the entries before them.
func (f *Filter) fileShort(kw *Keyword, common, starts map[uint32]int) {
	head, tail := bigram(kw.Literal, 0), bigram(kw.Literal, 1)
	before := starts[head] > 1 || common[head]+min(1, common[tail]) < common[tail]
	side, x, shift, where := kw.Next, uint64(kw.Literal[1])|uint64(kw.Literal[2])<<8, 16, uint8(atPrev)
	if before {
		side, x, shift, where = kw.Prev, uint64(kw.Literal[0])<<8|uint64(kw.Literal[1])<<16, 0, atNext
	}
	for b := range uint64(256) {
		if side == nil || side[b] {
			f.near[hash(x|b<<shift|hashFold)>>16] |= where
		}
	}
}

// bigram returns a key for the two bytes at i, case folded. The keys share maps with
// hashes of trigrams; collisions are rare and only make a choice less good.
func bigram(s string, i int) uint32 {
	return uint32(s[i]|0x20)<<8 | uint32(s[i+1]|0x20)
}

// Differs reports whether the first of eight bytes, as [lex.Load8] reads them, are not those of the
// keyword. It rejects nearly all texts at less cost than Matches.
func (kw *Keyword) Differs(w uint64) bool { return (w|kw.lower)&kw.mask != kw.first }

// Matches reports whether the whole keyword appears in s at i. i may be negative or past
// the end of s.
func (kw *Keyword) Matches(s string, i int) bool {
	if i < 0 || len(s)-i < len(kw.Literal) {
		return false
	}
	if len(s)-i >= 8 {
		if kw.Differs(lex.Load8(s, i)) {
			return false
		}
		if len(kw.Literal) <= 8 {
			return true
		}
	}
	return kw.MatchesFrom(s, i)
}

// MatchesFrom is Matches for an i that is in s. It serves keywords of which Differs has compared the
// first eight bytes.
func (kw *Keyword) MatchesFrom(s string, i int) bool {
	if len(s)-i < len(kw.Literal) {
		return false
	}
	if kw.Fold {
		return lex.HasFold(s, i, kw.Literal)
	}
	return s[i:i+len(kw.Literal)] == kw.Literal
}

// KeywordsAt returns the keywords in the bucket of a trigram's hash: those filed under
// that trigram, and others that share the bucket. The caller must not modify them.
func (f *Filter) KeywordsAt(gram uint32) []Keyword {
	b := gram >> bucketShift
	return f.Keywords[f.heads[b]:f.heads[b+1]]
}

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
