package safety

import "strings"

// sense says what the name of a field or variable promises about its value.
type sense uint8

const (
	plain  sense = iota // nothing
	weak                // a key or an auth: a secret only if the value looks random
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
		"signingkey encryptionkey authkey sshkey passwords apikeys pat otp totp mnemonic seedphrase psk apitoken authtoken " +
		"accesstoken refreshtoken clientsecret contrasena senha motdepasse pwds",
	isWeak: "key keys auth tokens access seed salt signature",
	ownsKey: "api access private secret signing signature encryption decryption auth client account master service admin app " +
		"storage shared subscription webhook deploy ssh rsa aws hmac jwt session license licence",
	ownsPlain: "public pub primary foreign sort partition cache hot schema sequence natural bucket index idx map dict row object " +
		"authenticity max min num total input output prompt completion next page continuation csrf xsrf sync start end stop eos bos pad special " +
		"per nextpage prev previous cursor word unk mask device push cancellation first last the a by order group lookup",
	isSuffix: "value val string str text env var plain raw b64 base64 hex default new old current prod dev live staging " +
		"production development header field param bytes here is was",
	isLookalike: "bypass compass trespass surpass encompass overpass underpass",
})

var endings = []string{"password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "accesskey", "privatekey", "pass", "pwd"}

// kindTable are the kinds of words, and the shapes those words have.
type kindTable struct {
	kinds  map[string]wordKind
	shapes shapes
}

func kinds(words map[wordKind]string) kindTable {
	t := kindTable{kinds: map[string]wordKind{}}
	for kind, list := range words {
		for _, word := range strings.Fields(list) {
			t.kinds[word] |= kind
			t.shapes.add(word)
		}
	}
	return t
}

// kindOf looks a word up in any case.
func kindOf(word string) wordKind {
	if !wordKinds.shapes.fit(word) {
		return 0
	}
	var buf [24]byte
	return wordKinds.kinds[string(lowered(word, &buf))]
}

// judge is the sense of a name such as userJwt, API_KEY, max_tokens or
// password123. It splits camel, snake and kebab case and never allocates.
func judge(name string) sense {
	var buf [6]string
	words := lastWords(name, &buf)
	if len(words) == 0 {
		return plain
	}
	last := kindOf(words[len(words)-1])
	for len(words) > 1 && last&isSuffix != 0 {
		words = words[:len(words)-1]
		last = kindOf(words[len(words)-1])
	}
	word, before := words[len(words)-1], wordKind(0)
	if len(words) > 1 {
		before = kindOf(words[len(words)-2])
	}
	switch {
	case before&ownsPlain != 0:
		return plain
	case last&isSecret != 0, before&ownsKey != 0 && equalFold(word, "key"):
		return secret
	case equalFold(word, "phrase") && len(words) > 1 && (equalFold(words[len(words)-2], "pass") || equalFold(words[len(words)-2], "seed")):
		return secret
	case last&isWeak != 0:
		return weak
	case last&isLookalike == 0 && endsLikeSecret(word):
		return secret
	}
	return plain
}

func endsLikeSecret(word string) bool {
	for _, e := range endings {
		if len(word) > len(e) && hasFold(word, len(word)-len(e), e) {
			return true
		}
	}
	return false
}

// lastWords are up to six words from the end of a name, in order; digits
// separate words and are dropped.
func lastWords(name string, buf *[6]string) []string {
	n, end := 0, len(name)
	for end > 0 && n < len(buf) {
		for end > 0 && !letter(name[end-1]) {
			end--
		}
		start := end
		for start > 0 && letter(name[start-1]) && !wordBreak(name, start, end) {
			start--
		}
		if start < end {
			n++
			buf[len(buf)-n] = name[start:end]
		}
		end = start
	}
	return buf[len(buf)-n:]
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

// shapes are the first letters and lengths that words have: nearly every word
// that is not among them is told apart without being hashed.
type shapes [256]uint32

func (s *shapes) add(word string) { s[word[0]] |= 1 << len(word) }

func (s *shapes) fit(word string) bool {
	return len(word) > 0 && len(word) < 25 && s[lower(word[0])]>>len(word)&1 != 0
}

// wordSet is a set of lower-case words, looked up in any case.
type wordSet struct {
	words  map[string]bool
	shapes shapes
}

func set(words string) *wordSet {
	s := &wordSet{words: map[string]bool{}}
	for _, word := range strings.Fields(words) {
		s.words[word] = true
		s.shapes.add(word)
	}
	return s
}

func (s *wordSet) has(word string) bool {
	if !s.shapes.fit(word) {
		return false
	}
	var buf [24]byte
	return s.words[string(lowered(word, &buf))]
}

// lowered is a word in lower case, empty if it is longer than any we know.
func lowered(word string, buf *[24]byte) []byte {
	if len(word) > len(buf) {
		return nil
	}
	for i := 0; i < len(word); i++ {
		buf[i] = lower(word[i])
	}
	return buf[:len(word)]
}

func equalFold(s, lit string) bool { return len(s) == len(lit) && hasFold(s, 0, lit) }
