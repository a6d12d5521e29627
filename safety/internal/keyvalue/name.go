package keyvalue

import (
	"candor/safety/internal/lex"
)

// KeyKind says what the name of a field or variable promises about its value.
type KeyKind uint8

const (
	Plain  KeyKind = iota // nothing
	Weak                  // a key or an auth: a secret only if the value looks random
	keyed                 // a key of what has keys, in prose: a secret if the value looks random, or is a digest
	Secret                // a credential
)

const (
	IsSecret    lex.WordKind = 1 << iota // names a credential at the end of a name
	isWeak                               // names one if the value looks random
	ownsKey                              // stands before key in the name of a credential
	ownsPlain                            // stands before key or token in the name of something else
	isSuffix                             // adds nothing to the name it ends
	isLookalike                          // ends like a secret word and is none
)

var wordKinds = lex.Kinds(map[lex.WordKind]string{
	IsSecret: "password passwd pwd passphrase passcode passwort pass secret secrets token apikey " +
		"credential credentials cred creds jwt cookie cookies bearer authorization privatekey secretkey accesskey " +
		"signingkey encryptionkey authkey sshkey passwords apikeys pat otp totp mnemonic seedphrase psk pw apitoken authtoken " +
		"accesstoken refreshtoken clientsecret contrasena senha motdepasse pwds",
	isWeak: "key keys auth tokens access seed salt signature",
	ownsKey: "credential credentials api access private secret signing signature encryption decryption auth client account master service admin app " +
		"storage shared subscription webhook deploy ssh rsa aws hmac jwt session license licence",
	ownsPlain: "public pub primary foreign sort partition cache hot schema sequence natural bucket index idx map dict row object " +
		"authenticity max min num total input output prompt completion next page continuation csrf xsrf sync start end stop eos bos pad special " +
		"per nextpage prev previous cursor word unk mask device push cancellation first last the a by order group lookup websocket",
	isSuffix: "value val string str text env var plain raw b64 base64 hex default new old current prod dev live staging " +
		"production development header field param bytes base here is was",
	isLookalike: "askpass minipass bypass compass trespass surpass encompass overpass underpass",
})

var endings = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "pass", "pwd"}

// KindOfWord looks a word up in any case.
func KindOfWord(word string) lex.WordKind { return wordKinds.Kind(word) }

// KindOfKey is the sense of a name such as userJwt, API_KEY, max_tokens or
// password123. It splits camel, snake and kebab case from the end, as far as it
// takes, and never allocates.
func KindOfKey(name string) KeyKind {
	word, rest := LastWord(name)
	if word == "" {
		return Plain
	}
	kind, n := KindOfWord(word), 1
	for ; n < 6 && kind&isSuffix != 0; n++ {
		before, left := LastWord(rest)
		if before == "" {
			break
		}
		word, rest, kind = before, left, KindOfWord(before)
	}
	phrase := lex.EqualFold(word, "phrase")
	if kind&(IsSecret|isWeak) == 0 && !phrase && (kind&isLookalike != 0 || !EndsLikeSecret(word)) {
		return Plain
	}
	before, owner := "", lex.WordKind(0)
	if n < 6 {
		before, _ = LastWord(rest)
		owner = KindOfWord(before)
	}
	switch {
	case owner&ownsPlain != 0:
		return Plain
	case kind&IsSecret != 0, owner&ownsKey != 0 && lex.EqualFold(word, "key"), phrase && (lex.EqualFold(before, "pass") || lex.EqualFold(before, "seed")):
		return Secret
	case kind&isWeak != 0:
		return Weak
	case kind&isLookalike == 0 && EndsLikeSecret(word):
		return Secret
	}
	return Plain
}

// endingTails tell by their last two letters, from the end, the words that may have
// such an ending.
var endingTails = func() (h lex.Heads) {
	for _, e := range endings {
		h[e[len(e)-1]&31] |= 1 << (e[len(e)-2] & 31)
	}
	return h
}()

// EndsLikeSecret reports whether a longer word ends in one that names a credential,
// as dbpassword does.
func EndsLikeSecret(word string) bool {
	n := len(word)
	if n < 2 || !endingTails.May(word[n-1], word[n-2]) {
		return false
	}
	for _, e := range endings {
		if len(word) > len(e) && lex.HasFold(word, len(word)-len(e), e) {
			return true
		}
	}
	return false
}

// LastWord is the last word of a name, and what stands before it; digits
// separate words and are dropped.
func LastWord(name string) (word, rest string) {
	end := len(name)
	for end > 0 && !lex.IsLetter(name[end-1]) {
		end--
	}
	start := end
	for start > 0 && name[start-1]-'a' < 26 {
		start--
	}
	if start > 0 && lex.IsUpper(name[start-1]) {
		for start = end; start > 0 && lex.IsLetter(name[start-1]) && !lex.WordBreak(name, start, end); {
			start--
		}
	}
	return name[start:end], name[:start]
}
