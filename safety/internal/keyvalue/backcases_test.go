package keyvalue

// onBack calls a method of a walk in front of the name between two marks.
func onBack(holds func(w *backWalk) bool) func(string) bool {
	return onName(func(s string, left, right int) bool {
		w := newBackWalk(s, 0, left, right)
		return holds(&w)
	})
}

// onEarlier calls a method of such a walk once it has found the word that may be the value.
func onEarlier(holds func(w *backWalk) bool) func(string) bool {
	return onBack(func(w *backWalk) bool {
		for w.previous() && !mayBeEarlier(w.word()) && w.read() {
		}
		return holds(w)
	})
}

// admittedEarlier reports whether a walk admits the word that may be the value.
func admittedEarlier(text string) bool {
	return onName(func(s string, left, right int) bool {
		w := newBackWalk(s, 0, left, right)
		if !w.findValue() {
			return false
		}
		v := w.value()
		return w.admitsEarlier(&candidate{s: s, name: s[left:right], kind: Secret, value: v, text: s[v.From:v.To]})
	})(text)
}

var backPredicates = map[string]predicate{
	"maybeBefore": {
		onName(maybeBefore),
		[]string{"use a1b2c3d4e5f6 as the ‸token‸", "a1b2c3d4e5f6g7h8 (‸token‸)"},
		[]string{
			"‸token‸", "a1b2c3d4e5f6g7h8=‸token‸", "use a1b2c3d4e5f6 as the ‸token‸ quota",
		},
	},
	"endsNoun": {
		atName(endsNoun),
		[]string{
			"the ‸token‸", "the ‸token‸.", "(the ‸token‸) is", "the ‸token‸ for us", "the ‸token‸ (new)",
			"‸token‸\nx",
		},
		[]string{"the ‸token‸ fix", "‸token‸.go", "the ‸token‸=x", "the ‸token‸ page."},
	},
	"followsMarker": {
		onName(followsMarker),
		[]string{"use [REDACTED:x] as the ‸token‸", "[REDACTED:x] is the ‸token‸ for us"},
		[]string{"use [REDACTED:x] as the ‸token‸ fix", "[REDACTED:x] and the ‸token‸", "use it as the ‸token‸"},
	},
	"precedesMarker": {
		onName(func(s string, left, right int) bool { return precedesMarker(s, 0, left, right) }),
		[]string{"the ‸token‸ is [REDACTED:x]", "# ‸token‸\nvalue: [REDACTED:x]"},
		[]string{"the ‸token‸ is", "the ‸token‸\n[REDACTED:x]"},
	},
	"mayBeEarlier": {mayBeEarlier, []string{"a1b2c3d4"}, []string{"a1b2c3d", "abcdefghij"}},
	"mayJoin": {
		mayJoin,
		[]string{"", "as", "(the", "`as", "\u2014", "|", "of", "the"},
		[]string{"now", "commit", "x=1"},
	},
	"findValue": {
		onBack((*backWalk).findValue),
		[]string{
			"use {a20} as the ‸token‸", "{a20} is our Stripe ‸token‸", "{a20} (the Heroku API ‸key‸)",
			"login(\"{a20}\") // ‸token‸",
			"Replace {a20} with your own ‸token‸", "put {a20} into ‸API_TOKEN‸", "assign {a20} to ‸API_TOKEN‸",
			"echo {a20} | gh secret set ‸API_TOKEN‸",
		},
		[]string{
			"{a20} of one ‸token‸", "see {a20}. As the ‸token‸", "{a20} rotated the ‸token‸", "the ‸token‸",
			"log in as {a20} with the ‸token‸",
			"{a20} is a long story about one bad old stale ‸token‸", "as the f(x) ‸token‸", "| {a20} | ‸token‸",
		},
	},
	"isLinked": {
		onEarlier((*backWalk).isLinked),
		[]string{"{a20} as the ‸token‸", "Is {a20} the ‸token‸?", "We lost {a20}, our ‸token‸."},
		[]string{"{a20} the ‸token‸", "We lost {a20}, our ‸token‸ and more", "this {a20} the ‸token‸"},
	},
	"previous": {
		onBack((*backWalk).previous),
		[]string{"the ‸token‸", "a b ‸token‸"},
		[]string{"‸token‸", "\n‸token‸", " ‸token‸"},
	},
	"apposes": {
		onEarlier((*backWalk).apposes),
		[]string{"We lost {a20}, our ‸token‸."},
		[]string{"We lost {a20}, our ‸token‸ and", "We lost {a20} our ‸token‸."},
	},
	"asks": {
		onEarlier((*backWalk).asks),
		[]string{"Is {a20} the ‸token‸?", "so is {a20} our ‸token‸"},
		[]string{"this {a20} the ‸token‸", "Is {a20} ‸token‸?", "Was {a20} the ‸token‸"},
	},
	"read": {
		onBack(func(w *backWalk) bool { return w.previous() && w.read() }),
		[]string{"as ‸token‸", "— ‸token‸", "(my ‸token‸", "Stripe ‸token‸", "// ‸token‸"},
		[]string{"| ‸token‸", "x. ‸token‸", "f(abcdefgh) ‸token‸"},
	},
	"readPlain": {
		onBack(func(w *backWalk) bool { return w.previous() && w.readPlain(w.word()) }),
		[]string{"as ‸token‸", "S3 ‸token‸", "to ‸API_TOKEN‸", "как ‸token‸"},
		[]string{"f(abcdefgh) ‸token‸", "a_variable2 ‸token‸"},
	},
	"endsClause": {
		onEarlier((*backWalk).endsClause),
		[]string{
			"{a20}. As the ‸token‸", "{a20}; as the ‸token‸ is", "{a20}, as ‸token‸ is",
			"{a20}! As the ‸token‸",
		},
		[]string{
			"{a20} as the ‸token‸", "{a20}! as the ‸token‸", "rotate {a20}; it's the ‸token‸",
			"'{a20}', // ‸token‸ is",
		},
	},
	"admitsEarlier": {
		admittedEarlier,
		[]string{
			"use {a20} as the ‸token‸", "use {h40} as the ‸token‸", "use tr0ub4dor!9 as the ‸password‸",
			"the value {a20} of the ‸token‸", "use {h24} as ‸token‸",
		},
		[]string{
			"commit {h40} is the ‸token‸", "use us-east-1 as the ‸token‸", "the hash {a20} of the ‸token‸",
			"use https://a1.test as the ‸token‸", "use tr0ub4dor!9 as the ‸token‸",
		},
	},
	"isIdentified": {
		onEarlier((*backWalk).isIdentified),
		[]string{
			"commit {a20} as the ‸token‸", "user {a20} is the ‸token‸", "{a20} of the ‸token‸",
			"a {a20} of the ‸token‸",
		},
		[]string{"use {a20} as the ‸token‸", "{a20} as the ‸token‸", "the value {a20} of the ‸token‸"},
	},
}
