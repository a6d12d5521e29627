package keyvalue

import (
	"strings"

	"candor/safety/internal/lex"
)

var ownerPredicates = map[string]predicate{
	"isVendorName": {
		isVendorName,
		[]string{"Stripe", "GCP", "Mailroom"},
		[]string{"stripe", "The", "RSA", "Redis", "Primary", "Cache", "Up"},
	},
	"isAnyCookie": {
		onName(isAnyCookie),
		[]string{"the ‸cookie‸", "a theme ‸cookie‸", "‸lang_cookie‸", "all ‸cookies‸"},
		[]string{"the session ‸cookie‸", "‸auth_cookie‸", "the ‸token‸", "Erlang ‸cookie‸"},
	},
	"isGrouped": {
		isGrouped,
		[]string{"AB1CD-2EFGH-IJK3L-MNOPQ", "a1b2-c3d4-e5f6", "ABC4EF-GHI5KL-MNO6QR"},
		[]string{
			"1234-5678-9012", "node-test-prod-2024", "AB1CD-2EFG", "AB1CD-2EFGH-IJK3L-MNO", "a1b2c3d4e5f6",
			"A1b2-c3D4-e5f6", "2024-01-01",
		},
	},
	"isPartOfDigest": {
		func(text string) bool { return isPartOfDigest(text, lex.CountChars(text)) },
		[]string{"{h24}", "{h20}", "{h32}"},
		[]string{"{h16}", "12345678901234567890", "{h8}-{h12}-{h8}", "{a24}", "abcdefabcdefabcdefab"},
	},
	"isPair": {
		isPair,
		[]string{"{a12}.{a30}", "{h32}.{a16}", "ab1cd2.a1b2c3d4e5f6g7h8", "{a12}:{a24}"},
		[]string{
			"config.password", "{a12}.{a8}", "api2.example-host.test", "12:30", "token.go",
			"section.something4you2read",
		},
	},
	"isPrefixed": {
		isPrefixed,
		[]string{"acme_{a24}", "live-{a24}", "wi-{h32}"},
		[]string{"msg_{a24}", "my-app-7d9f8b6c5d-x2x4z", "{a24}", "acme_{a8}", "app_{a24}"},
	},
	"isOneCase": {
		onCandidate(isOneCase),
		[]string{"token={l20}", "token={u20}"},
		[]string{"token={a20}", "token={h20}", "token={l12}", "token=abc-def-ghi-jkl1"},
	},
	"isShortDigest": {
		onCandidate(isShortDigest),
		[]string{"token={h24}"},
		[]string{"key={h24}", "token={h12}"},
	},
	"hasOwner": {
		onCandidate(hasOwner),
		[]string{"the Pusher secret: {h20}", "API_TOKEN={h20}", "userToken: {h20}"},
		[]string{"the secret: {h20}", "our token: {h20}", "token={h20}"},
	},
	"admitsBeside": {
		onCandidate(admitsBeside),
		[]string{"the Pusher secret: {h20}", "token={h32}", "token={a24}"},
		[]string{"the token: {h24}", "my_token={h32}", "token=HTTPServerError404", "token=a1b2c3"},
	},
	"isWordlessText": {isWordlessText, []string{"xkqzvbWTR"}, []string{"databasePassword", "some-words"}},
	"isFirst": {
		onWord(func(w *walk, _ int) bool { return w.isFirst() }),
		[]string{"the ‸token‸ count"},
		[]string{"the ‸token‸ (count)"},
	},
	"readPlace": {
		func(word string) bool { return new(walk).readPlace(word) },
		[]string{"src/main.go", "ann@x.test", "https://x.test"},
		[]string{"f(x)/2", "a_b", "x=/y"},
	},
	"speaks": {
		onWalk(func(w *walk) bool {
			w.skipSpaces()
			w.at = wordEnd(w.s, w.at)
			w.skipSpaces()
			w.from = w.at
			return w.speaks(wordEnd(w.s, w.at))
		}),
		[]string{"the ‸token‸?\nbob: a1", "the ‸token‸?\nit's a1"},
		[]string{"the ‸token‸?\nregion a1", "the ‸token‸\nbob: a1"},
	},
	"leads": {
		onWalk(func(w *walk) bool { return w.next() && w.leads() }),
		[]string{"the ‸token‸ is a1", "the ‸token‸ printed by Jane is a1", "the ‸token‸ found by Jane: a1"},
		[]string{
			"the ‸token‸ call was a1", "the ‸token‸ found by Jane in a1", "the ‸token‸ failed, HEAD is a1",
		},
	},
	"isParticiple": {
		isParticiple,
		[]string{"printed", "hasn't", "shown", "is"},
		[]string{"call", "page", "fix"},
	},
	"isTitle": {
		func(text string) bool { return isTitle(text, len(text)) },
		[]string{"API key", "**Root password**", "x = 1\nYour token", "## Token"},
		[]string{
			"", "the token: x", "token=1", "this line has more words than a title has",
			strings.Repeat("long", 13),
		},
	},
	"isCommand": {
		func(text string) bool { return isCommand(text, len(text)) },
		[]string{"$ pass show token", "x\n$ cat token.txt"},
		[]string{"pass show token", "$ ls\ntoken"},
	},
	"mayBecomeCode": {
		atMark(mayBecomeCode),
		[]string{"the recovery‸ co", "the access‸ "},
		[]string{"the recovery‸ of", "the token‸ co", "the recovery‸ code is"},
	},
	"isVersionRef": {
		isVersionRef,
		[]string{"actions/checkout@{h40}", "github.com/a/b@v1"},
		[]string{"ann@x.test", "a/b", "tr0ub/4dor"},
	},
	"admitsBehind": {
		onName(func(s string, left, right int) bool {
			w := newWalk(s, right)
			w.next()
			v := w.value()
			text := s[v.From:v.To]
			c := candidate{s: s, name: s[left:right], kind: Secret, value: v, text: text, chars: lex.CountChars(text)}
			return w.admitsBehind(&c)
		}),
		[]string{"the ‸token‸, i.e. {h40}", "the ‸token‸ is AB1CD-2EFGH-IJK3L", "the ‸token‸, sent by Jane: {a24}"},
		[]string{"deployed the ‸my_token‸ as {h40}", "the ‸token‸ call was {h40}", "the ‸token‸ for user 12: {h24}",
			"the user with the old ‸token‸ is {h24}"},
	},
	"isSign": {isSign, []string{"=", "->", "\u2192"}, []string{"-", "is", "|"}},
}
