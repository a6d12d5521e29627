package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// foreignPassword finds passwords beside the word for one in Spanish, French, Russian,
// Chinese, Japanese, Korean, German, Polish and Turkish. The names that package keyvalue
// reads are ASCII without spaces, so these words need a rule of their own.
//
// Sentences about a password, such as "mot de passe oublié", once matched: the value must
// hold a digit and a letter.
func foreignPassword() rule.Rule {
	return rule.Rule{
		ID: "foreign-password", Specificity: rule.ByName, Match: matchForeign, MaxGap: 300, Lookahead: 400,
		Keywords: []string{
			"contraseña",
			"Contraseña",
			"mot de passe",
			"Mot de passe",
			"пароль",
			"Пароль",
			"密码",
			"密碼",
			"パスワード",
			"비밀번호",
			"kennwort",
			"Kennwort",
			"hasło",
			"Hasło",
			"şifre",
			"Şifre",
		},
		Hits: []string{
			"la contraseña es {a10}9",
			"Mot de passe : {a10}9",
			"le mot de passe est {a10}9",
			"пароль: {a10}9",
			"пароль {a10}9",
			"密码是{a10}9",
			"密码：{a10}9",
			"パスワードは {a10}9 です",
			"비밀번호: {a10}9",
			"Das Kennwort lautet {a10}9",
		},
		Misses: []string{
			"la contraseña es obligatoria",
			"mot de passe oublié",
			"пароль неверный",
			"密码错误",
			"パスワードをリセット",
			"hasło: ******",
			"пароль: [REDACTED:foreign-password]",
		},
	}
}

// links may appear between such a word and its value: "is" in each language, and signs.
var links = [...]string{
	"es",
	"est",
	"ist",
	"lautet",
	"to",
	"это",
	"是",
	"为",
	"為",
	"は",
	"は、",
	"는",
	"은",
	":",
	"：",
	"=",
	"＝",
}

// matchForeign matches the value behind the word that ends at end.
func matchForeign(s string, _, end int) (int, int) {
	i := lex.SkipBlank(s, end, 3)
	for range 2 {
		for _, link := range links {
			if next := i + len(link); strings.HasPrefix(s[i:], link) &&
				(next >= len(s) || !lex.IsLetter(link[0]) || !lex.WordChars[s[next]]) {
				i = next
				break
			}
		}
		i = lex.SkipBlank(s, i, 3)
	}
	v := keyvalue.ReadValue(s, i)
	text := s[v.From:v.To]
	l := lex.CountChars(text)
	if len(text) < 6 || l.Digit == 0 || l.Lower+l.Upper == 0 || l.Other*2 > len(text) || lex.Placeholder(text) ||
		strings.IndexByte(text, ' ') >= 0 {
		return 0, 0
	}
	return v.From, v.To
}
