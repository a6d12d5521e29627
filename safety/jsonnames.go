package safety

import "strings"

// judgeKey is the sense of a key of an object, which may be in any language.
func judgeKey(key string) sense {
	own := judge(key)
	if own != plain {
		return own
	}
	if secretKeys[strings.ToLower(unjoin.Replace(key))] {
		return secret
	}
	return plain
}

// unjoin takes out what joins the words of a name.
var unjoin = strings.NewReplacer("_", "", "-", "", " ", "")

// secretKeys are names of credentials that only a key has, without what joins
// their words.
var secretKeys = func() map[string]bool {
	all := map[string]bool{}
	for _, name := range strings.Fields("motdepasse kennwort contraseña contrasena contrasenya senha 密码 密碼 口令 パスワード 비밀번호 пароль hasło şifre parola wachtwoord lösenord " +
		"passwordconfirmation passwordconfirm passwordrepeat confirmpassword recoverycode recoverycodes backupcode backupcodes pincode onetimecode") {
		all[name] = true
	}
	return all
}()

// standIn reports whether a string under a secret name is no secret.
func standIn(s string) bool {
	return len(s) < 3 || placeholder(s) || benign.has(s) || variableOf(s)
}

// variableOf reports whether s is the name of the variable that holds a secret:
// OPENAI_API_KEY.
func variableOf(s string) bool {
	for i := range len(s) {
		if !upper(s[i]) && s[i] != '_' {
			return false
		}
	}
	return strings.IndexByte(s, '_') > 0 && judge(s) != plain
}

// entryNames are the keys that name an entry of a list, whose value then stands
// under one of entryValues: {"name": "API_TOKEN", "value": "…"}.
var (
	entryNames  = set("name key header field variable param parameter label k id")
	entryValues = set("value val v content text data default")
)

// entry is what the name of an entry promises, wherever in its object it stands:
// secret, or weak where only the value can tell. Only small objects are entries.
func (w *walker) entry() sense {
	start := w.pos
	defer func() { w.pos = start }()
	for range 8 {
		if w.space(); w.in[w.pos] == ',' {
			w.pos++
			w.space()
		}
		if w.in[w.pos] != '"' {
			return plain
		}
		key := w.string()
		w.space()
		w.pos++ // the colon
		w.space()
		switch c := w.in[w.pos]; {
		case c == '{' || c == '[':
			return plain
		case c == '"' && entryNames.has(key):
			if name := w.string(); len(name) <= 80 && judgeKey(name) == secret {
				return secret
			}
		default:
			w.skip()
		}
	}
	return plain
}

// pairs is what the string that comes next promises of the one behind it, as in a
// list of headers or of arguments. It is read again by whoever copies it.
func (w *walker) pairs() sense {
	w.space()
	if w.in[w.pos] != '"' {
		return plain
	}
	start := w.pos
	w.skipString()
	lit := w.in[start:w.pos]
	w.pos = start
	if len(lit) > 82 || strings.IndexByte(string(lit), ' ') >= 0 {
		return plain
	}
	return judgeKey(string(lit[1 : len(lit)-1]))
}

// beside is what a name promises of the string that stands beside it, which comes
// next: a list of names is not one of secrets.
func (w *walker) beside(name sense) sense {
	if w.space(); name != secret || w.in[w.pos] != '"' {
		return plain
	}
	start := w.pos
	v := w.string()
	w.pos = start
	if len(v) >= 6 && hasDigit(v) && strings.Count(v, " ") <= 1 && v[0] != '-' {
		return secret
	}
	return plain
}
