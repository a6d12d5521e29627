package safety

import "strings"

// sense says what the name of a field or variable promises about its value.
type sense uint8

const (
	plain  sense = iota // nothing
	weak                // a key or an auth: a secret only if the value looks random
	keyed               // a key of what has keys, in prose: a secret if the value looks random, or is a digest
	secret              // a credential
)

// wordKind is what a word does in a name; a word may do several things.
type wordKind uint8

const (
	isSecret    wordKind = 1 << iota // names a credential at the end of a name
	isWeak                           // names one if the value looks random
	ownsKey                          // stands before key in the name of a credential
	ownsPlain                        // stands before key or token in the name of something else
	isSuffix                         // adds nothing to the name it ends
	isLookalike                      // ends like a secret word and is none
)

var wordKinds = kinds(map[wordKind]string{
	isSecret: "password passwd pwd passphrase passcode passwort pass secret secrets token apikey " +
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

// kinds are the senses of words in names, several where a word has several.
func kinds(words map[wordKind]string) *vocabulary {
	all := map[string]wordKind{}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			all[word] |= kind
		}
	}
	return newVocabulary(all)
}

// kindOf looks a word up in any case.
func kindOf(word string) wordKind { return wordKinds.kind(word) }

// judge is the sense of a name such as userJwt, API_KEY, max_tokens or
// password123. It splits camel, snake and kebab case from the end, as far as it
// takes, and never allocates.
func judge(name string) sense {
	word, rest := lastWord(name)
	if word == "" {
		return plain
	}
	kind, n := kindOf(word), 1
	for ; n < 6 && kind&isSuffix != 0; n++ {
		before, left := lastWord(rest)
		if before == "" {
			break
		}
		word, rest, kind = before, left, kindOf(before)
	}
	phrase := equalFold(word, "phrase")
	if kind&(isSecret|isWeak) == 0 && !phrase && (kind&isLookalike != 0 || !endsLikeSecret(word)) {
		return plain
	}
	before, owner := "", wordKind(0)
	if n < 6 {
		before, _ = lastWord(rest)
		owner = kindOf(before)
	}
	switch {
	case owner&ownsPlain != 0:
		return plain
	case kind&isSecret != 0, owner&ownsKey != 0 && equalFold(word, "key"), phrase && (equalFold(before, "pass") || equalFold(before, "seed")):
		return secret
	case kind&isWeak != 0:
		return weak
	case kind&isLookalike == 0 && endsLikeSecret(word):
		return secret
	}
	return plain
}

// endingTails tell by their last two letters the words that may have such an ending.
var endingTails = func() (t [32]uint32) {
	for _, e := range endings {
		t[e[len(e)-1]&31] |= 1 << (e[len(e)-2] & 31)
	}
	return t
}()

func endsLikeSecret(word string) bool {
	n := len(word)
	if n < 2 || endingTails[word[n-1]&31]>>(word[n-2]&31)&1 == 0 {
		return false
	}
	for _, e := range endings {
		if len(word) > len(e) && hasFold(word, len(word)-len(e), e) {
			return true
		}
	}
	return false
}

// lastWord is the last word of a name, and what stands before it; digits
// separate words and are dropped.
func lastWord(name string) (word, rest string) {
	end := len(name)
	for end > 0 && !letter(name[end-1]) {
		end--
	}
	start := end
	for start > 0 && name[start-1]-'a' < 26 {
		start--
	}
	if start > 0 && upper(name[start-1]) {
		for start = end; start > 0 && letter(name[start-1]) && !wordBreak(name, start, end); {
			start--
		}
	}
	return name[start:end], name[:start]
}

// wordBreak reports whether a word starts at i of a camelCase name. A run of
// capitals is one word, its last letter belongs to the next: APIKey.
func wordBreak(name string, i, end int) bool {
	if i >= end {
		return false
	}
	here, prev := name[i], name[i-1]
	if upper(here) && !upper(prev) {
		return true
	}
	return upper(here) && upper(prev) && i+1 < end && !upper(name[i+1])
}

func letter(b byte) bool { return lower(b)-'a' < 26 }
func upper(b byte) bool  { return b-'A' < 26 }

func equalFold(s, lit string) bool { return len(s) == len(lit) && hasFold(s, 0, lit) }
