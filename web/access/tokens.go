package access

import (
	"bufio"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"

	"candor/web/envelope"
)

// LocalUser is the user of a server that has a single token.
const LocalUser = "local"

// MinToken is the shortest configured token, in bytes. Shorter ones can be guessed.
const MinToken = 16

// Levels are the values of reasoning= in a tokens file: everything, narratives
// without the reasons of single calls, or nothing.
var Levels = []string{"full", "summary", "hidden"}

// Caller is the user that a request is authenticated as, and how much reasoning its token may see.
type Caller struct {
	User string
	// Reasoning is one of [Levels], or "" for a token without a level. A token with
	// a level works only on routes that apply it, a token without one everywhere.
	Reasoning string
}

// Tokens maps tokens to callers. Callers are looked up by the hashes of tokens; the
// tokens themselves are kept for what is derived from them. The zero value is ready to use
// and admits nobody. It is safe for concurrent use once all tokens are added.
type Tokens struct{ entries []tokenEntry }

type tokenEntry struct {
	hash  [sha256.Size]byte
	value string
	name  string // in envelopes
	Caller
}

// Values yields all tokens, and those derived from them, each after its user, in the order in which they were added, so
// that a safety layer can mask them. Nothing else may use it.
func (t *Tokens) Values() iter.Seq2[string, string] {
	return func(yield func(user, token string) bool) {
		for _, e := range t.entries {
			if !yield(e.User, e.value) || !yield(e.User, TelemetryToken(e.value)) {
				return
			}
		}
	}
}

// Add lets token speak for user. A user may have several tokens.
func (t *Tokens) Add(user, token string) { t.add(Caller{User: user}, token) }

func (t *Tokens) add(who Caller, token string) {
	t.entries = append(t.entries, tokenEntry{sha256.Sum256([]byte(token)), token, envelope.NameOf(token), who})
}

// ParseTokens reads one user:token per line. A space and reasoning=LEVEL may follow
// the token. Blank lines and lines that begin with # are skipped. Errors name the
// line by its number and quote nothing of it.
func ParseTokens(r io.Reader) (Tokens, error) {
	var t Tokens
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		user, token, ok := strings.Cut(line, ":")
		token, level, leveled := strings.Cut(token, " reasoning=")
		user, token = strings.TrimSpace(user), strings.TrimSpace(token)
		if !ok || user == "" || len(token) < MinToken {
			return Tokens{}, fmt.Errorf("line %d: want user:token with a token of at least %d characters", n, MinToken)
		}
		if level = strings.TrimSpace(level); leveled && !slices.Contains(Levels, level) {
			return Tokens{}, fmt.Errorf("line %d: reasoning has to be one of %s", n, strings.Join(Levels, ", "))
		}
		t.add(Caller{user, level}, token)
	}
	if err := lines.Err(); err != nil {
		return Tokens{}, err
	}
	if len(t.entries) == 0 {
		return Tokens{}, fmt.Errorf("no line of the form user:token")
	}
	return t, nil
}

// Knows reports whether the user has a token.
func (t *Tokens) Knows(user string) bool {
	return slices.ContainsFunc(t.entries, func(e tokenEntry) bool { return e.User == user })
}

// Lookup returns who the token speaks for. It compares every token in constant
// time, so the delay does not reveal how close a guess was. The empty token speaks
// for nobody.
func (t *Tokens) Lookup(token string) (who Caller, ok bool) {
	hash := sha256.Sum256([]byte(token))
	for _, e := range t.entries {
		if subtle.ConstantTimeCompare(hash[:], e.hash[:]) == 1 {
			who, ok = e.Caller, true
		}
	}
	return who, ok && token != ""
}

// TelemetryToken returns the token that a program sends with its telemetry in place of a user's token, from which it is
// derived. Exporters send it to whoever listens at their address, so it is good for nothing else.
func TelemetryToken(token string) string {
	sum := sha256.Sum256([]byte("candor telemetry token\x00" + token))
	return "telemetry-" + hex.EncodeToString(sum[:20])
}

// LookupTelemetry returns whose telemetry a token of [TelemetryToken] is for.
func (t *Tokens) LookupTelemetry(token string) (who Caller, ok bool) {
	for _, e := range t.entries {
		if subtle.ConstantTimeCompare([]byte(token), []byte(TelemetryToken(e.value))) == 1 {
			who, ok = e.Caller, true
		}
	}
	return who, ok
}

// Named returns the token of a name in envelopes.
func (t *Tokens) Named(name string) (token string, ok bool) {
	for _, e := range t.entries {
		if subtle.ConstantTimeCompare([]byte(name), []byte(e.name)) == 1 {
			token, ok = e.value, true
		}
	}
	return token, ok
}

// Bearer returns the token of the Authorization header, "" if it has none.
func Bearer(r *http.Request) string {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}
