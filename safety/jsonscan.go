package safety

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
)

// close copies the closing bracket if it is next and reports true. Otherwise it skips the
// comma before the next member.
func (w *walker) close(bracket byte) bool {
	w.space()
	if w.in[w.pos] == ',' {
		w.pos++
		w.space()
	}
	if w.in[w.pos] != bracket {
		return false
	}
	w.pos++
	w.out = append(w.out, bracket)
	return true
}

// string reads the next string and returns it decoded.
func (w *walker) string() string {
	w.space()
	start := w.pos
	w.skipString()
	lit := w.in[start:w.pos]
	body := lit[1 : len(lit)-1]
	if bytes.IndexByte(body, '\\') < 0 && utf8.Valid(body) {
		return string(body)
	}
	var s string
	if err := json.Unmarshal(lit, &s); err != nil {
		return "" // unreachable, since the whole value is valid
	}
	return s
}

// skipString moves past the string that starts here.
func (w *walker) skipString() {
	for w.pos++; w.in[w.pos] != '"'; w.pos++ {
		if w.in[w.pos] == '\\' {
			w.pos++
		}
	}
	w.pos++
}

// skip moves past the value that starts here.
func (w *walker) skip() {
	depth := 0
	for {
		w.space()
		switch w.in[w.pos] {
		case '{', '[':
			depth++
			w.pos++
		case '}', ']':
			depth--
			w.pos++
		case '"':
			w.skipString()
		case ',', ':':
			w.pos++
		default:
			for w.pos < len(w.in) && bytes.IndexByte([]byte(" \t\r\n,]}"), w.in[w.pos]) < 0 {
				w.pos++
			}
		}
		if depth <= 0 {
			return
		}
	}
}

// rest moves past the remaining members of a container and returns their number.
func (w *walker) rest(bracket byte) int {
	n := 0
	for {
		w.space()
		switch w.in[w.pos] {
		case bracket:
			w.pos++
			return n
		case ',':
			w.pos++
		default:
			n++
			w.skip()
			if w.space(); bracket == '}' {
				w.pos++ // the colon
				w.space()
				w.skip()
			}
		}
	}
}

// appendString appends s as a JSON string, without escaping it for HTML.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	out = append(out, '"')
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c == '\n':
			out = append(out, '\\', 'n')
		case c == '\t':
			out = append(out, '\\', 't')
		case c < 0x20:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}

// judgeKey returns the kind of an object's key. It knows more names than the matchers for
// plain text, also in other languages, because a key cannot be an ordinary word of prose.
func judgeKey(key string) keyvalue.KeyKind {
	own := keyvalue.KindOfKey(key)
	if own != keyvalue.Plain {
		return own
	}
	if secretKeys[strings.ToLower(unjoin.Replace(key))] {
		return keyvalue.Secret
	}
	return keyvalue.Plain
}

// unjoin removes the separators between the words of a name.
var unjoin = strings.NewReplacer("_", "", "-", "", " ", "")

// secretKeys holds names of credentials, without separators, that count only as keys.
var secretKeys = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("motdepasse kennwort contraseña contrasena contrasenya senha 密码 密碼 口令 " +
		"パスワード 비밀번호 пароль hasło şifre parola wachtwoord lösenord " +
		"passwordconfirmation passwordconfirm passwordrepeat confirmpassword recoverycode recoverycodes " +
		"backupcode backupcodes pincode onetimecode") {
		all[name] = true
	}
	return all
}()

// standIn reports whether a string under a secret's name is a placeholder: too short, a
// template, a harmless word, or the name of a variable.
func standIn(s string) bool {
	return len(s) < 3 || lex.Placeholder(s) || lex.Benign.Has(s) || variableOf(s)
}

// variableOf reports whether s is the name of a variable that holds a secret, such as
// OPENAI_API_KEY.
func variableOf(s string) bool {
	for i := range len(s) {
		if !lex.IsUpper(s[i]) && s[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(s, '_') > 0 && keyvalue.KindOfKey(s) != keyvalue.Plain
}

// Lists of settings have entries such as {"name": "API_TOKEN", "value": "…"}. entryNames
// holds the keys that name an entry, and entryValues those of its value.
var (
	entryNames  = lex.WordSet("name key header field variable param parameter label k id")
	entryValues = lex.WordSet("value val v content text data default")
)

// entry returns Secret if the object that starts here is an entry that contains the
// name of a secret. The name may follow the value. It looks at the first eight members
// only, since entries are small, and does not move w.
func (w *walker) entry() keyvalue.KeyKind {
	start := w.pos
	defer func() { w.pos = start }()
	for range 8 {
		if w.space(); w.in[w.pos] == ',' {
			w.pos++
			w.space()
		}
		if w.in[w.pos] != '"' {
			return keyvalue.Plain
		}
		key := w.string()
		w.space()
		w.pos++ // the colon
		w.space()
		switch c := w.in[w.pos]; {
		case c == '{' || c == '[':
			return keyvalue.Plain
		case c == '"' && entryNames.Has(key):
			if name := w.string(); len(name) <= 80 && judgeKey(name) == keyvalue.Secret {
				return keyvalue.Secret
			}
		default:
			w.skip()
		}
	}
	return keyvalue.Plain
}

// pairs returns the kind of name that the next string is for the string after it, as in a
// list of headers or arguments. It does not move w.
func (w *walker) pairs() keyvalue.KeyKind {
	w.space()
	if w.in[w.pos] != '"' {
		return keyvalue.Plain
	}
	start := w.pos
	w.skipString()
	lit := w.in[start:w.pos]
	w.pos = start
	if len(lit) > 82 || strings.IndexByte(string(lit), ' ') >= 0 {
		return keyvalue.Plain
	}
	return judgeKey(string(lit[1 : len(lit)-1]))
}

// beside returns Secret if name is Secret and the next string, its neighbour, looks like a
// value: with a digit, not a flag, and not a sentence. In a list of names nothing does. It
// does not move w.
func (w *walker) beside(name keyvalue.KeyKind) keyvalue.KeyKind {
	if w.space(); name != keyvalue.Secret || w.in[w.pos] != '"' {
		return keyvalue.Plain
	}
	start := w.pos
	v := w.string()
	w.pos = start
	if len(v) >= 6 && lex.HasDigit(v) && strings.Count(v, " ") <= 1 && v[0] != '-' {
		return keyvalue.Secret
	}
	return keyvalue.Plain
}
