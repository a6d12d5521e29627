package safety

import "strings"

// foreignPassword is a password beside its name in a language whose letters or
// spaces the names of code do not have.
func foreignPassword() rule {
	return rule{
		id: "foreign-password", tier: tierNamed, find: findForeign, reach: 300, sight: 400,
		anchors: []string{"contraseña", "Contraseña", "mot de passe", "Mot de passe", "пароль", "Пароль", "密码", "密碼", "パスワード", "비밀번호", "kennwort", "Kennwort", "hasło", "Hasło", "şifre", "Şifre"},
		hits: []string{"la contraseña es {a10}9", "Mot de passe : {a10}9", "le mot de passe est {a10}9", "пароль: {a10}9", "пароль {a10}9", "密码是{a10}9", "密码：{a10}9",
			"パスワードは {a10}9 です", "비밀번호: {a10}9", "Das Kennwort lautet {a10}9"},
		misses: []string{"la contraseña es obligatoria", "mot de passe oublié", "пароль неверный", "密码错误", "パスワードをリセット", "hasło: ******", "пароль: [REDACTED:foreign-password]"},
	}
}

// links may stand between such a name and its value.
var links = [...]string{"es", "est", "ist", "lautet", "to", "это", "是", "为", "為", "は", "は、", "는", "은", ":", "：", "=", "＝"}

func findForeign(s string, _, end int) (int, int) {
	i := skipBlank(s, end, 3)
	for range 2 {
		for _, link := range links {
			if next := i + len(link); strings.HasPrefix(s[i:], link) && (next >= len(s) || !letter(link[0]) || !wordish[s[next]]) {
				i = next
				break
			}
		}
		i = skipBlank(s, i, 3)
	}
	v := readValue(s, i)
	text := s[v.from:v.to]
	l := look(text)
	if len(text) < 6 || l.digit == 0 || l.lower+l.upper == 0 || l.other*2 > len(text) || placeholder(text) || strings.IndexByte(text, ' ') >= 0 {
		return 0, 0
	}
	return v.from, v.to
}
