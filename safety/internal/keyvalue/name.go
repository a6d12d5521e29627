package keyvalue

import (
	"candor/safety/internal/lex"
)

// KeyKind is the kind of value that the name of a field or a variable suggests.
type KeyKind uint8

const (
	Plain  KeyKind = iota // not a credential
	Weak                  // a key or an auth: a credential only if the value looks random
	keyed                 // "the API key" in a sentence: a credential if the value looks random or is a digest
	Secret                // a credential
)

// The roles of a word in a name. A word may have several.
const (
	IsSecret    lex.WordKind = 1 << iota // names a credential at the end of a name: api_TOKEN
	isWeak                               // names one if the value looks random: sort_KEY
	ownsKey                              // makes a credential of a key behind it: SIGNING_key
	ownsPlain                            // makes anything else of a key or token behind it: PUBLIC_key, MAX_tokens
	isSuffix                             // adds nothing at the end of a name: token_VALUE
	isLookalike                          // ends like a secret word and is none: comPASS
)

var wordKinds = lex.NewVocabulary(map[lex.WordKind]string{
	IsSecret: "password passwd pwd passphrase passcode passwort pass secret secrets token apikey " +
		"credential credentials cred creds jwt cookie cookies bearer authorization privatekey secretkey accesskey " +
		"signingkey encryptionkey authkey sshkey passwords apikeys pat otp totp mnemonic seedphrase psk pw apitoken " +
		"authtoken accesstoken refreshtoken clientsecret contrasena senha motdepasse pwds",
	isWeak: "key keys auth tokens access seed salt pepper signature writekey readkey appkey licensekey licencekey",
	ownsKey: "credential credentials api access private secret signing signature encryption decryption auth client " +
		"account master service admin app storage shared subscription webhook deploy ssh rsa aws hmac jwt session " +
		"license licence consumer",
	ownsPlain: "public pub primary foreign sort partition cache hot schema sequence natural bucket index idx map " +
		"dict row object authenticity max min num total input output prompt completion next page continuation csrf " +
		"xsrf sync start end stop eos bos pad special per nextpage prev previous cursor word unk mask device push " +
		"cancellation first last the a by order group lookup websocket",
	isSuffix: "value val string str text env var plain raw b64 base64 hex default new old current prod dev live " +
		"staging production development header field param bytes base here is was",
	isLookalike: "chpasswd mkpasswd askpass minipass bypass compass trespass surpass encompass overpass underpass",
})

// secretEndings end a longer word that names a credential, as in dbpassword.
var secretEndings = []string{
	"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey",
	"pass", "pwd",
}

// endingTails knows the last two letters of every ending, the last one first.
var endingTails = func() (h lex.PairSet) {
	for _, e := range secretEndings {
		h[e[len(e)-1]&31] |= 1 << (e[len(e)-2] & 31)
	}
	return h
}()

// KindOfWord returns the roles of a word in a name, whatever its case; 0 if the word
// is not known.
func KindOfWord(word string) lex.WordKind { return wordKinds.Kind(word) }

// KindOfKey returns what a name such as userJwt, API_KEY, max_tokens or password123
// promises. It splits camelCase, snake_case and kebab-case from the end, reads no
// more words than it needs, and never allocates.
func KindOfKey(name string) KeyKind {
	word, rest, roles := headWord(name)
	phrase, code := lex.EqualFold(word, "phrase") || lex.EqualFold(word, "word"), lex.EqualFold(word, "code")
	if roles&(IsSecret|isWeak) == 0 && !phrase && !code && (roles&isLookalike != 0 || !EndsLikeSecret(word)) {
		return Plain
	}
	owner, _ := LastWord(rest)
	ownerRoles := KindOfWord(owner)
	switch {
	case ownerRoles&ownsPlain != 0:
		return Plain
	case roles&IsSecret != 0, ownerRoles&ownsKey != 0 && lex.EqualFold(word, "key"), phrase && ownsPhrase(owner),
		code && codeOwners.Has(owner):
		return Secret
	case roles&isWeak != 0:
		return Weak
	case roles&isLookalike == 0 && EndsLikeSecret(word):
		return Secret
	}
	return Plain
}

// headWord returns the word that says what a name is of, its roles, and the part of the
// name before it: for DB_PASSWORD_VALUE, PASSWORD and DB_. It skips at most five
// suffixes; if there are as many, rest is empty.
func headWord(name string) (word, rest string, roles lex.WordKind) {
	word, rest = LastWord(name)
	roles = KindOfWord(word)
	read := 1
	for ; read < 6 && roles&isSuffix != 0; read++ {
		before, left := LastWord(rest)
		if before == "" {
			break
		}
		word, rest, roles = before, left, KindOfWord(before)
	}
	if read == 6 {
		rest = ""
	}
	return word, rest, roles
}

// ownsPhrase reports whether a word before "phrase" makes it a credential.
func ownsPhrase(owner string) bool {
	return lex.EqualFold(owner, "pass") || lex.EqualFold(owner, "seed")
}

// codeOwners make a credential of the word "code" behind them.
var codeOwners = lex.WordSet("recovery backup activation access auth authorization verification pin")

// EndsLikeSecret reports whether a word is longer than one that names a credential
// and ends in it, as dbpassword does.
func EndsLikeSecret(word string) bool {
	n := len(word)
	if n < 2 || !endingTails.May(word[n-1], word[n-2]) {
		return false
	}
	for _, e := range secretEndings {
		if len(word) > len(e) && lex.HasFold(word, len(word)-len(e), e) {
			return true
		}
	}
	return false
}

// LastWord returns the last word of a name and the text before it. Digits and
// signs separate words and belong to none; a name without letters has no last word.
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
