package safety

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
)

// judgeKey is the sense of a key of an object, which may be in any language.
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

// unjoin takes out what joins the words of a name.
var unjoin = strings.NewReplacer("_", "", "-", "", " ", "")

// secretKeys are names of credentials that only a key has, without what joins
// their words.
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

// standIn reports whether a string under a secret name is no secret.
func standIn(s string) bool {
	return len(s) < 3 || lex.Placeholder(s) || lex.Benign.Has(s) || variableOf(s)
}

// variableOf reports whether s is the name of the variable that holds a secret:
// OPENAI_API_KEY.
func variableOf(s string) bool {
	for i := range len(s) {
		if !lex.IsUpper(s[i]) && s[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(s, '_') > 0 && keyvalue.KindOfKey(s) != keyvalue.Plain
}

// entryNames are the keys that name an entry of a list, whose value then stands
// under one of entryValues: {"name": "API_TOKEN", "value": "…"}.
var (
	entryNames  = lex.WordSet("name key header field variable param parameter label k id")
	entryValues = lex.WordSet("value val v content text data default")
)

// entry is what the name of an entry promises, wherever in its object it stands:
// secret, or weak where only the value can tell. Only small objects are entries.
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

// pairs is what the string that comes next promises of the one behind it, as in a
// list of headers or of arguments. It is read again by whoever copies it.
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

// beside is what a name promises of the string that stands beside it, which comes
// next: a list of names is not one of secrets.
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
