package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

// kindInText returns what the name s[left:right] promises. In a sentence the word
// before a lone "key" counts as part of its name: the API key.
func kindInText(s string, left, right int) KeyKind {
	kind := KindOfKey(s[left:right])
	if kind != Weak {
		switch {
		case kind == Secret && (followsPage(s, left, right) || isAnyCookie(s, left, right)):
			return Plain
		case kind == Secret && right-left >= 3 && lex.EqualFold(s[right-3:right], "pat"):
			return keyed // {"github-pat": "block"} sets a rule
		}
		return kind
	}
	switch {
	case followsWord(s, left, right, "public"):
		return Plain
	case followsOwner(s, left, right) || isOwnKey(s[left:right]):
		return keyed
	}
	return Weak
}

// followsOwner reports whether s[left:right] is the word "key" and the word before it
// makes that a credential, as in "the api key".
func followsOwner(s string, left, right int) bool {
	if left < 4 || s[left-1] != ' ' || !lex.EqualFold(strings.TrimRight(s[left:right], "_"), "key") {
		return false
	}
	owner := ownerBefore(s, left)
	return KindOfWord(owner)&ownsKey != 0 || keyOwners.Has(owner) || isVendorName(owner)
}

// ownerBefore returns the word before the name at left.
func ownerBefore(s string, left int) string {
	return s[lex.Classes['z'].Back(s, max(0, left-1), 16):max(0, left-1)]
}

// isVendorName reports whether a word before "key" begins with a capital and is neither the
// beginning of a sentence nor the name of what keys of another kind are of.
func isVendorName(word string) bool {
	return len(word) >= 3 && lex.IsUpper(word[0]) && KindOfWord(word)&ownsPlain == 0 && !dataWords.Has(word) &&
		!otherOwners.Has(word) && !lex.Benign.Has(word)
}

// keyOwners make a credential of the word "key" behind them in a sentence, besides ownsKey.
var keyOwners = lex.WordSet("application product activation integration ingestion ingest write read recovery unseal " +
	"preshared pre-shared shared search aes weather maps map bot fernet data bucket backup root project vault test " +
	"live site server device machine network join agent sas wrapping merchant transaction wallet unlock developer " +
	"partner role anon peer serial cd fi wifi vpn security main tunnel node cluster push team org cloud")

// otherOwners are capitalised words that make anything else of it.
var otherOwners = lex.WordSet("redis json yaml toml host unique composite natural surrogate ecdsa ed25519 elliptic " +
	"when where which every each then there also else only what hotkey shift enter return escape delete arrow home " +
	"with from into using missing found unknown invalid registry dynamo dynamodb kafka memcached postgres mysql " +
	"mongo rsa gpg pgp kms dsa ecc ssl tls dns sql xml csv one two new old all any alt cmd ctrl esc tab del")

// isAnyCookie reports whether s[left:right] is about cookies of any kind, rather than those
// of a session or a login.
func isAnyCookie(s string, left, right int) bool {
	if right-left < 6 || !lex.HasFold(s, right-6, "cookie") && !lex.HasFold(s, right-7, "cookies") {
		return false
	}
	_, rest := LastWord(s[left:right])
	owner, _ := LastWord(rest)
	if owner == "" {
		owner = ownerBefore(s, left)
	}
	return !cookieOwners.Has(owner)
}

// cookieOwners make a credential of the word "cookie" behind them.
var cookieOwners = lex.WordSet("session auth login erlang magic rabbitmq sso")

// followsWord reports whether s[left:right] is the word "key" behind word.
func followsWord(s string, left, right int, word string) bool {
	from := left - 1 - len(word)
	return from >= 0 && s[left-1] == ' ' && lex.HasFold(s, from, word) && lex.EqualFold(s[left:right], "key")
}

// followsPage reports whether s[left:right] is the word "token" and the word before it makes
// that a place in a list, as in "the next page token".
func followsPage(s string, left, right int) bool {
	if left < 5 || s[left-1] != ' ' || !lex.EqualFold(s[left:right], "token") {
		return false
	}
	owner, _ := LastWord(s[lex.Classes['z'].Back(s, left-1, 16) : left-1])
	return pageWords.Has(owner)
}

// pageWords make a place in a list, or a check against forgery, of a token behind them.
var pageWords = lex.WordSet("page nextpage continuation pagination csrf xsrf cancellation sync cursor")

// isOwnKey reports whether a name says whose key it is, as SPEECH_KEY and serpApiKey do: a
// digest behind it may be the key.
func isOwnKey(name string) bool {
	word, rest := LastWord(name)
	owner, _ := LastWord(rest)
	if len(word) > 3 && rest != "" && lex.HasFold(word, len(word)-3, "key") { // WRITEKEY
		owner, word = word[:len(word)-3], word[len(word)-3:]
	}
	return lex.EqualFold(word, "key") && owner != "" && !dataWords.Has(owner)
}

// dataWords name the keys of data: they look like digests and are none of a service.
var dataWords = lex.WordSet("idempotency dedup dedupe deduplication request correlation trace event message state " +
	"registry routing record item user query search translation theme node entry asset file blob public dpublic " +
	"content etag image layer build task job step this that my your our its host known")

// readBracket reads the value in the bracket at i. Right behind the name it is a call,
// whose argument counts if it is a string: setToken("…").
func readBracket(s string, i int, call bool) (int, Op) {
	if v := skipOpening(s, i+1); !call || v < len(s) && (s[v] == '"' || s[v] == '\'') {
		return v, opFlag
	}
	return 0, OpNone
}

// readBlock reads the default of a variable that is declared in the block at i, as in
// Terraform: variable "token" { default = "…" }.
func readBlock(s string, i int) (int, Op) {
	block := s[i:min(len(s), i+120)]
	if end := strings.IndexByte(block, '}'); end >= 0 {
		block = block[:end]
	}
	k := strings.Index(block, "default")
	if k < 0 {
		return 0, OpNone
	}
	if k = lex.SkipBlank(s, i+k+len("default"), 20); k < len(s) && s[k] == '=' {
		return lex.SkipBlank(s, k+1, 3), OpLoose
	}
	return 0, OpNone
}

// lineOfValue returns where the value starts on the line at i, whose key ends in "value",
// or on the line behind it, or 0: plaintext_value = "…".
func lineOfValue(s string, i int) int {
	for range 2 {
		to := lex.WordRun(s, i, 24)
		sign := lex.SkipBlank(s, to, 12)
		if to-i >= 5 && sign < len(s) && (s[sign] == '=' || s[sign] == ':') && lex.HasFold(s, to-5, "value") {
			return skipOpening(s, lex.SkipBlank(s, sign+1, 8))
		}
		if to == i || sign == len(s) || s[sign] != ':' && s[sign] != '=' {
			break // code or prose, not a list of members
		}
		end := strings.IndexByte(s[i:min(len(s), i+60)], '\n')
		if end < 0 {
			break
		}
		i = lex.SkipSpace(s, i+end, 24)
	}
	return 0
}

// namedArgument returns where the value of the argument at i starts if its name says that
// it is one, as in value: … or defaultValue: …, or 0.
func namedArgument(s string, i int) int {
	to := lex.WordRun(s, i, 20)
	if to-i < 5 || to >= len(s) || s[to] != ':' && s[to] != '=' || !lex.HasFold(s, to-5, "value") &&
		s[i:to] != "default" {
		return 0
	}
	return skipOpening(s, lex.SkipBlank(s, to+1, 3))
}

// formatArgument returns where the argument starts that fills the hole at i in a format
// that ends there, as in "token=%s", "…", or 0.
func formatArgument(s string, i int) int {
	if i+3 >= len(s) || s[i+3] != ',' || !lex.IsQuote(s[i+2]) {
		return 0 // nearly always
	}
	switch s[i : i+2] {
	case "%s", "%v", "%q", "{}":
		if k := lex.SkipBlank(s, i+4, 3); k < len(s) && lex.IsQuote(s[k]) {
			return k
		}
	}
	return 0
}

// valueFlags announce the value of a name that a command line has given before:
// gh secret set API_TOKEN --body value.
var valueFlags = [...]string{
	"--value ", "--value=", "--body ", "--body=", "--secret-string ", "-b ", "-b=", "-Value ", "--data ",
}

// readFlag reads the flag at i that announces a value, or else the sign "->".
func readFlag(s string, i int, tight bool) (int, Op) {
	for _, flag := range valueFlags {
		if strings.HasPrefix(s[i:], flag) {
			return skipOpening(s, lex.SkipBlank(s, i+len(flag), 3)), OpLoose
		}
	}
	if strings.HasPrefix(s[i:], "-b") && i+2 < len(s) && (s[i+2] == '"' || s[i+2] == '\'') {
		return i + 2, OpLoose
	}
	return readSign(s, i, tight)
}
