package safety

import "strings"

// named is the rule for a value beside a name: password=…, "apiKey": "…",
// token is …, <Token>…</Token>, setProperty("API_TOKEN", "…").
func named() rule {
	return rule{
		id:   "named-password",
		tier: tierNamed,
		fold: true, names: true,
		anchors: []string{"passw", "passphrase", "passcode", "pwd", "pass=", "pass:", "pass\"", "pass'", "pass =", "pass is", "secret", "token", "key", "auth", "cred", "jwt",
			"mnemonic", "senha", "motdepasse", "contrasena"},
		find: findNamed,
		open: openNamed,
		// A name, its operator and its value, each at their longest.
		sight: 900,
		hits: []string{
			"password={a12}", "password: {a12}", `password = "{a6} {a6} {a4}"`, `{"password":"{a12}"}`, `{\"password\":\"{a12}\"}`,
			"DB_PASSWORD={a16}", "the admin password is {a4}7{a4}", "api_key: '{a20}'", "apiKey: {a20}", "my_secret={a12}",
			`"client_secret" => "{a30}"`, `setProperty("API_TOKEN", "{a24}")`, "<dbPassword>{a12}</dbPassword>",
			"https://x.test/cb?access_token={a24}&state=1", "export SECRET_KEY={a32}", "passwd {a0}= {a10}9",
			"password for the database is {a4}9{a4}", "log in with password {a5}4{a3}{}7 now", "das Passwort lautet {a8}4", "the password '{a8}4' works", "var apiToken string = \"{a24}\"", "{l3}_token ::= \"{a24}\"",
		},
		misses: []string{
			"password: required", "the password is wrong", "the token is expired", "max_tokens: 4096", "token_count=5123", `author = "james.fake"`,
			"password=$DB_PASSWORD", "password=${DB_PASS}", "password = os.environ['DB_PASSWORD']", `token: "<your-token>"`, "secret: xxxxxxxx",
			"password=********", "api_key=YOUR_API_KEY", "token = getToken()", "oauth_redirect_uri=https://a.test/cb", "public_key = 9Cnzj4p4WGeKLs1Pt8Qu",
			"the key: value pairs", "pwd=/home/bob", "next_page_token=CAUQAA9xk2", "password := config.Password", "secretName: app-decryption-1",
			"password=[REDACTED:named-password]", "cache key: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e", "token.count = 12345678",
			"LLM_SECRET_NAME = \"NEXUS-GPT4-API-KEY\"", "task-notification", "keyboard: qwertz1", "compass=north12",
			"send(\"my token is \" + newToken2())", "get(\"/x?token=\"+t2, 5)", `"/etc/passwd": "only some may"`, `PWD: '/Users/ann2'`, "f.token=f.token[0]:c-1",
			"the secret my-app-7d9f8b6c5d-x2x4z is mounted", "the password must be at least 12 characters", "password should be sha256sum2 hashed", "token abc123def456abc123def456",
			"--- PASS: TestUser2Login (0.00s)", "PASS: test_http2.py", "pass: step-3 done", "IMAGE_TOKEN = 0x000C", "PrivateKey: testRSA2048PrivateKey,",
			"dk.encryptionKey1024 = ek.encryptionKey1024",
		},
	}
}

func findNamed(s string, at, end int) (int, int) {
	right := nameEnd(s, at, end)
	i, how := operator(s, right)
	if how == opNone {
		return 0, 0
	}
	v := readValue(s, i)
	if (how == opIs || how == opLoose) && !v.quoted && oneWord(s[v.from:v.to]) {
		return costly, costly // of prose or code, the commonest case
	}
	left := nameStart(s, at)
	kind := judge(s[left:right])
	if kind == weak && owned(s, left, right) {
		kind = keyed
	}
	if kind == plain || strings.HasSuffix(s[:left], "/etc/") || right >= 13 && hasFold(s, right-13, "authorization") {
		return 0, 0 // a header knows its schemes better
	}
	if v.to-v.from < 3 || how == opTight && left > 0 && quote(s[left-1]) && s[left-1] == s[i] || // the quote closes "PWD="
		!credible(s, s[left:right], kind, how, v) {
		return costly, costly
	}
	return v.from, v.to
}

// owned reports whether the word key follows one that makes it a credential: the
// api key, as words of a sentence.
func owned(s string, left, right int) bool {
	if left < 4 || s[left-1] != ' ' || !equalFold(s[left:right], "key") {
		return false
	}
	return kindOf(s[classes['z'].back(s, left-1, 16):left-1])&ownsKey != 0
}

// openNamed reports whether a name's value may still be to come or to go on.
func openNamed(s string, at, end int) bool {
	right := nameEnd(s, at, end)
	if right == len(s) {
		return true
	}
	if judge(s[nameStart(s, at):right]) == plain {
		return false
	}
	i, how := operator(s, right)
	if how == opNone {
		return undecided(s, right)
	}
	return readValue(s, i).to+64 > len(s)
}

// undecided reports whether an operator may still follow at i: as long as only
// words, quotes and signs stand there.
func undecided(s string, i int) bool {
	stop := min(len(s), i+200)
	for j := i; j < stop; j++ {
		if !joining[s[j]] {
			return len(s)-j < 8
		}
	}
	return stop == len(s)
}

var joining = newClass(" \t\n\"'`\\]:=?|>+,A-Za-z0-9_-")

// nameEnd is where the name ends that holds an anchor. Some anchors that begin
// with pass hold what follows the name, too.
func nameEnd(s string, at, end int) int {
	if at+4 < end && !wordish[s[at+4]] {
		return at + 4
	}
	return wordish.run(s, end, maxName)
}

func nameStart(s string, at int) int { return wordish.back(s, at, maxName) }

// maxName is how much of a name is looked at on either side of an anchor.
const maxName = 48

// op is how a name and its value are joined.
type op uint8

const (
	opNone   op = iota
	opTight     // name=value, no space on either side
	opLoose     // name = value, name := value, name => value
	opColon     // name: value
	opIs        // the name is value
	opComma     // f("name", "value")
	opTag       // <name>value</name>
	opBeside    // with password value I log in
)

// operator reads what joins a name that ends at i to its value, and gives where
// the value starts.
func operator(s string, i int) (int, op) {
	start := i
	for i < len(s) && i < start+4 && (quote(s[i]) || s[i] == ']' || s[i] == '\\' && i+1 < len(s) && quote(s[i+1])) {
		i++
	}
	quoted := i > start
	i = skipBlank(s, i, 20)
	if i >= len(s) {
		return 0, opNone
	}
	switch s[i] {
	case ':', '=', '?', '|', '-', '.', '+':
		return symbol(s, i, i == start)
	case ',':
		return comma(s, i+1, quoted)
	case '>':
		return skipSpace(s, i+1, 24), opTag
	}
	return phrase(s, i, start, quoted)
}

// comma reads "name", "value" and "name", "value": "…".
func comma(s string, i int, quoted bool) (int, op) {
	j := skipBlank(s, i, 3)
	if !quoted || j >= len(s) || !quote(s[j]) {
		return 0, opNone
	}
	if hasFold(s, j+1, "value") && j+6 < len(s) && quote(s[j+6]) {
		if k := skipBlank(s, j+7, 3); k < len(s) && s[k] == ':' {
			return skipBlank(s, k+1, 3), opColon
		}
	}
	return j, opComma
}

// signs make up the operators.
var signs = newClass(":=?|>.+-")

// symbol reads =, :, :=, ::=, =>, ==, ?=, ||, ->, .=, += and what follows.
func symbol(s string, i int, tight bool) (int, op) {
	j := i
	for j < len(s) && j < i+4 && signs[s[j]] {
		j++
	}
	sign := s[i:j]
	last := sign[len(sign)-1]
	if last != '=' && last != ':' && last != '>' && sign != "||" || sign == "-->" || sign == "..." {
		return 0, opNone
	}
	k := skipSpace(s, j, 24)
	if k > j && strings.IndexByte(s[j:k], '\n') >= 0 && sign != ":" && sign != "=>" {
		return 0, opNone // an empty value, the next line is another matter
	}
	switch {
	case sign == ":" && k == j && k < len(s) && s[k] != '"' && s[k] != '\'':
		return k, opTight
	case sign == ":":
		return k, opColon
	case tight && k == j:
		return k, opTight
	}
	return k, opLoose
}

// phrase reads " is ", " was ", a type before =, and up to six words between a
// name and its verb: password for the staging database is ….
func phrase(s string, i, start int, quoted bool) (int, op) {
	if lower(s[i]) == 'v' && hasFold(s, i, "value=") {
		return i + 6, opLoose // an attribute beside the name's
	}
	if i > start && !quoted && i+8 <= len(s) && (quote(s[i]) || digitIn(eight(s, i))) && beginsStrewn(s, i) {
		return i, opBeside
	}
	if i == start || quoted || i+1 >= len(s) || phraseHeads[s[i]&31]>>(s[i+1]&31)&1 == 0 {
		return 0, opNone
	}
	for n := range 6 {
		j := wordish.run(s, i, 20)
		k := skipBlank(s, j, 3)
		if k >= len(s) || k == j {
			return 0, opNone
		}
		if phraseHeads[s[i]&31]>>(s[i+1]&31)&1 != 0 {
			switch role := phraseWords.kind(s[i:j]); {
			case role&isVerb != 0:
				return k, opIs
			case role&isToBe != 0 && beginsStrewn(s, k):
				return k, opBeside
			case role&isType != 0 && s[k] == '=':
				return symbol(s, k, false)
			case n == 0 && (role == 0 || judge(s[wordish.back(s, start, 2*maxName):start]) == plain):
				return 0, opNone // asked here, since most names in prose are of nothing, and the way on is long
			}
		}
		i = k
	}
	return 0, opNone
}

// What a word may do between a name and its value.
const (
	isLink wordKind = 1 << iota // stand before a verb
	isVerb                      // join them
	isToBe                      // join them where the value cannot be a word
	isType                      // stand before an equals sign
)

var phraseRoles = map[wordKind]string{
	isLink: "for of to in on at from by with we you i he she they it that which who used set here there now and or should will must can be has your my our the user admin root account then itself value",
	isVerb: "is was ist war lautet",
	isToBe: "to be",
	isType: "string",
}

var phraseWords = kinds(phraseRoles)

// phraseHeads tell by their first two letters the words that phrase looks up;
// most others do not begin so.
var phraseHeads = func() (t [32]uint32) {
	for _, words := range phraseRoles {
		for _, w := range strings.Fields(words) {
			t[w[0]&31] |= 1 << ((w + " ")[1] & 31)
			if len(w) == 1 {
				t[w[0]&31] |= 1 << ('\t' & 31)
			}
		}
	}
	return t
}()

func skipBlank(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i
}

func skipSpace(s string, i, max int) int {
	end := min(len(s), i+max)
	for i < end && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}
