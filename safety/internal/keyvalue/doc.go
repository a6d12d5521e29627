// Package keyvalue finds credentials beside a name that announces them: password=…,
// "apiKey": "…", the token is …, <Token>…</Token>.
//
// [Rule] is its one rule, named-password. The detector calls it at each keyword, such
// as "passw" or "token", and it goes through five steps, one file each. Take the line
//
//		export DB_PASSWORD="tr0ub4dor"
//
//	 1. rule.go finds the whole name around the keyword, DB_PASSWORD, and turns away at
//	    once the many names in prose that no operator can follow.
//	 2. operator.go reads what joins the name to a value: = without spaces, [OpTight].
//	    phrase.go does so for sentences: "password for the database is". Where neither
//	    leads to a value, before.go looks for one in front of the name (backwalk.go),
//	    and prose.go walks over the next words of the sentence to one that looks
//	    generated (prosevalue.go).
//	 3. value.go reads the value, tr0ub4dor, here in quotes, and stops where it ends.
//	 4. name.go asks what the name promises. [KindOfKey] splits it into words from the
//	    end: PASSWORD makes it a [Secret], as key would make it [Weak]. In a sentence
//	    owner.go looks at the word before the name, too: the Stripe key.
//	 5. plausible.go decides whether the value keeps the promise. The evidence against
//	    a value is in codelike.go (names, calls, paths of code) and reference.go
//	    (templates, versions, pointers to a vault); the evidence for one in a place
//	    where prose is likely, in generated.go.
//
// The name and the operator determine how strong the evidence for a value must be.
// After password= nearly anything counts, after key= only a random-looking value, after
// "the password is" only a word with a digit or a sign inside. Each predicate is a
// named function for one reason, and its tests have texts that it must accept and
// reject.
//
// To keep a text from being masked, add it to counterexamples (examples.go), find the
// predicate of its kind, or write one and name it in [isPlausible] or one of the groups
// below it, with cases in the table of predicatecases_test.go or codecases_test.go. To accept
// a new way of writing an assignment, add an operator, with an example. A new word that names
// secrets goes into wordKinds (name.go), and among the rule's keywords (rule.go) unless it
// contains one of them.
//
// A match is the value alone, without its quotes. The package allocates nothing and
// reads no further than the rule's lookahead. Package safety also uses [KindOfKey] for
// the keys of JSON objects, and package secrets reads operators and values for its own
// rules.
package keyvalue
