package secrets

import (
	"strings"

	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// loginRules find secrets whose form no class of bytes describes: keys of Django that
// startproject writes (django-insecure- and 50 characters, signs among them), Google's
// passwords for apps (support.google.com/accounts/answer/185833: four groups of four letters),
// and the passwords in the connection strings of Oracle's JDBC driver and of Go's driver for
// MySQL, which are no URLs.
func loginRules() []rule.Rule {
	return []rule.Rule{
		{
			ID: "django-secret-key", Specificity: rule.ByContext, Keywords: []string{"django-insecure-"},
			Match: matchDjangoKey, MaxGap: maxDjangoKey + 1,
			Hits:   []string{"SECRET_KEY = 'django-insecure-{l20}#{l9}({l8}%{l10}'", "django-insecure-{l50}"},
			Misses: []string{"django-insecure- begins such a key", "django-insecure-..."},
		},
		{
			ID: "google-app-password", Specificity: rule.ByContext, Fold: true, Match: matchAppPassword, MaxGap: 80,
			Keywords: []string{
				"app password", "app_password", "app-password", "apppassword", "app-specific password",
			},
			Hits: []string{"the Gmail app password is qwzv hjkp xbnm lkjt", "GMAIL_APP_PASSWORD=qwzv hjkp xbnm lkjt"},
			Misses: []string{
				"an app password from your mail page", "app password: must have four sets", "app password is abcd",
				"the app password: just four long sets",
			},
		},
		{
			ID: "oracle-dsn-password", Specificity: rule.ByContext, Fold: true, Keywords: []string{"jdbc:oracle:"},
			Match: matchOracleDSN, MaxGap: maxURLUser + maxURLPassword,
			Hits:   []string{"jdbc:oracle:thin:app/{a12}@//db.test:1521/ORCL", "jdbc:oracle:oci:app/{a10}@db"},
			Misses: []string{"jdbc:oracle:thin:@//db.test:1521/ORCL", "jdbc:oracle:thin:${USER}/${PASSWORD}@db"},
		},
		{
			ID: "mysql-dsn-password", Specificity: rule.ByContext, Keywords: []string{"@tcp(", "@unix("},
			Match: matchMySQLDSN,
			Hits:  []string{"DSN=app:{a12}@tcp(db:3306)/x?parseTime=true", "app:{a10}@unix(/tmp/mysql.sock)/x"},
			Misses: []string{
				"app@tcp(db:3306)/x", "app:${PASSWORD}@tcp(db:3306)/x", "user:password@tcp(localhost:3306)/x",
			},
		},
	}
}

// The lengths of the random part of Django's keys, in bytes.
const minDjangoKey, maxDjangoKey = 40, 50

// djangoChars are the bytes of that part.
var djangoChars = lex.NewClass("a-z0-9!@#$%^&*(_=+)-")

// matchDjangoKey matches the key whose prefix is s[at:end].
func matchDjangoKey(s string, at, end int) (int, int) {
	to := djangoChars.Run(s, end, maxDjangoKey)
	if to-end < minDjangoKey {
		return 0, 0
	}
	return at, to
}

// matchAppPassword matches four groups of four letters that an operator joins to a name
// ending at or behind end.
func matchAppPassword(s string, _, end int) (int, int) {
	i, op := keyvalue.ReadOperator(s, lex.WordRun(s, end, 24))
	if op == keyvalue.OpNone {
		i = afterSigns(s, end)
	}
	if i = afterSigns(s, i); i+19 > len(s) || i+19 < len(s) && (lex.Alnum[s[i+19]] || s[i+19] == '\'') {
		return 0, 0
	}
	for k := i; k < i+19; k += 5 {
		group := s[k : k+4]
		if lex.CountChars(group).Lower < 4 || k > i && s[k-1] != ' ' || lex.Benign.Has(group) ||
			commonFours.Has(group) {
			return 0, 0
		}
	}
	return i, i + 19
}

// afterSigns returns the position behind the blanks, quotes and brackets at i.
func afterSigns(s string, i int) int {
	for n := 0; n < 8 && i < len(s) && strings.IndexByte(" \t\"'`*([", s[i]) >= 0; n++ {
		i++
	}
	return i
}

// commonFours are words of four letters that sentences about passwords have.
var commonFours = lex.WordSet("that this with from your have will must been when then than them they were what also " +
	"just into over such each some more most very much make like need uses page code step sent mail does text form " +
	"sets four left long last next only many same ones them goes type kept know gets look find help data site link " +
	"once open push pull work wifi apps here used user file name")

// matchOracleDSN matches the password in user/password@host behind the driver's name.
func matchOracleDSN(s string, _, end int) (int, int) {
	kind := lex.Classes['z'].Run(s, end, 8) // thin or oci
	if kind >= len(s) || s[kind] != ':' {
		return 0, 0
	}
	slash := kind + 1
	for slash < len(s) && slash < kind+maxURLUser && !userEnd[s[slash]] {
		slash++
	}
	if slash >= len(s) || s[slash] != '/' || slash == kind+1 {
		return 0, 0
	}
	to, _ := passwordBounds(s, slash+1)
	if to < slash+1+minURLPassword || isStandInPassword(s[slash+1:to]) {
		return 0, 0
	}
	return slash + 1, to
}

// matchMySQLDSN matches the password in user:password@tcp(host), whose @ is at index at.
func matchMySQLDSN(s string, at, _ int) (int, int) {
	from := at
	for from > 0 && at-from < lex.Lookbehind && !urlEnd[s[from-1]] && s[from-1] != '=' {
		from--
	}
	colon := strings.IndexByte(s[from:at], ':')
	if colon < 1 || at-(from+colon+1) < minURLPassword || isStandInPassword(s[from+colon+1:at]) {
		return 0, 0
	}
	return from + colon + 1, at
}
