package safety

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
)

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
