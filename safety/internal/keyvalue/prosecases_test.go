package keyvalue

// atName calls a predicate with a text and where the name between two marks ends.
func atName(holds func(s string, right int) bool) func(string) bool {
	return onName(func(s string, _, right int) bool { return holds(s, right) })
}

// onWalk calls a method of a walk that starts behind the name between two marks.
func onWalk(holds func(w *walk) bool) func(string) bool {
	return atName(func(s string, right int) bool {
		w := newWalk(s, right)
		return holds(&w)
	})
}

// onWord calls a method of a walk with its first word.
func onWord(holds func(w *walk, to int) bool) func(string) bool {
	return onWalk(func(w *walk) bool {
		w.skipSpaces()
		to := wordEnd(w.s, w.at)
		w.from = skipSigns(w.s, w.at, to)
		return holds(w, to)
	})
}

// isAdmitted reports whether a walk admits the first word with a digit.
func isAdmitted(text string) bool {
	return onName(func(s string, left, right int) bool {
		w := newWalk(s, right)
		if !w.next() {
			return false
		}
		v := w.value()
		c := candidate{s: s, name: s[left:right], kind: Secret, op: opFlag, value: v, text: s[v.From:v.To]}
		return w.admits(&c)
	})(text)
}

var prosePredicates = map[string]predicate{
	"maybeAcross": {
		atName(maybeAcross),
		[]string{"the ‸token‸ (for tests): a1b2", "the ‸token‸, which is 1, is", "<b>‸token‸</b> a1b2c3d4"},
		[]string{"the ‸token‸ quota is 1 of 2", "the ‸token‸=a1b2c3d4e5f6"},
	},
	"ownsCode": {
		onName(ownsCode),
		[]string{"the ‸recovery‸ code", "a ‸PIN‸ code is"},
		[]string{"the ‸token‸ code", "the ‸recovery‸ codes", "the ‸recovery‸ cod"},
	},
	"mayReachAcross": {
		onName(mayReachAcross),
		[]string{"the ‸token‸", "the ‸token‸, which is", "the ‸token‸, which is a1b2c3d4e5f6g7h8 and"},
		[]string{"the ‸keys‸, which are", "the ‸token‸ count " + longTail, "the ‸token‸=abc and more of it"},
	},
	"next": {
		onWalk((*walk).next),
		[]string{"the ‸token‸, which is a1", "the ‸token‸:\n```\na1\n```", "the ‸token‸ is simply “a1”"},
		[]string{
			"the ‸token‸, for the request a1", "the ‸token‸ count is a1", "‸token‸ := get(x) // a1",
			"‸token‸: none\nregion: a1", "the ‸token‸, which is needed",
		},
	},
	"skipSpaces": {
		onWalk((*walk).skipSpaces),
		[]string{"‸token‸  a", "‸token‸\n\na"},
		[]string{"‸token‸ ", "‸token‸\n\n\n\n\na"},
	},
	"readWord": {
		onWord((*walk).readWord),
		[]string{"‸token‸, which", "‸token‸ is", "‸token‸:\n```text"},
		[]string{"‸token‸ f(x)", "‸token‸ count", "‸token‸\nregion", "‸token‸ hash"},
	},
	"admits": {
		isAdmitted,
		[]string{
			"the ‸token‸, which is {a20}", "the ‸token‸, i.e. {h40}", "the ‸token‸ follows:\n{a20}\n",
			"the ‸password‸ reads tr0ub4dor!9", "the ‸token‸, sent by Jane to Bob: {a24}",
		},
		[]string{
			"the ‸token‸ my-app-7d9f8b6c5d-x2x4z is mounted", "the ‸token‸, found by Jane in {h40}",
			"the ‸token‸ is set\n{a20}", "the ‸token‸, as DEBUG={a20}", "the ‸token‸, which is call_{a20}",
			"the ‸password‸, sent to ann22@x.test", "deployed the ‸my_token‸ as {h40}",
		},
	},
	"isBeside": {
		onWalk(func(w *walk) bool { return w.next() && w.isBeside() }),
		[]string{"the ‸token‸ a1"},
		[]string{"the ‸token‸ (a1)", "the ‸token‸ - a1", "the ‸token‸ is a1"},
	},
	"isAnnounced": {
		onWalk(func(w *walk) bool {
			return w.next() && w.isAnnounced(&candidate{s: w.s, value: w.value()})
		}),
		[]string{"the ‸token‸ is:\na1\n", "the ‸token‸:\n```\na1\n```"},
		[]string{"the ‸token‸ is:\na1 here", "the ‸token‸ is\na1", "the ‸token‸ for Jane:\na1"},
	},
	"introduces": {
		func(text string) bool { return introduces(text, len(text)) },
		[]string{"the token:", "# Token", "the token?", "see below.", "x\nthe **token:**"},
		[]string{"the token", "the token.", "a:\nthe token"},
	},
	"isPlainProse": {
		isPlainProse,
		[]string{"it's", "hard-coded", "i.e", "пароль"},
		[]string{"f(x", "a_b", "'s", "a/b"},
	},
	"isOtherKind": {
		isOtherKind,
		[]string{"f(x1)", "https://a1.test", "ann22@x.test", "db1.a.test", "A=1", "msg_{a20}"},
		[]string{"{a20}", "{h40}", "tr0ub4dor!9"},
	},
	"isWordless": {
		onCandidate(func(c *candidate) bool { return isWordless(c) }),
		[]string{"token={a24}", "token=aB3+xY7/Qz9Kp2Lm5Tr8"},
		[]string{"token=HTTPServerError404", "token=readFileTwice2", "token=my-app-7d"},
	},
	"isSnakeName": {isSnakeName, []string{"fal_key"}, []string{"FAL_KEY", "falKey", "key"}},
	"isSetting": {
		isSetting,
		[]string{"DEBUG=1", "a:1"},
		[]string{"a1b2c3d4==", "debug", "=1", "a1="},
	},
	"isTypedID": {
		isTypedID,
		[]string{"msg_{a20}", "call-{a20}"},
		[]string{"{a20}", "m_{a20}", "MSG_{a20}", "msg_{a8}"},
	},
	"endsLine": {
		atMark(endsLine),
		[]string{"a‸", "a‸`\nb", "a‸ |\n", "a‸.\n"},
		[]string{"a‸ b", "a‸, b"},
	},
}
