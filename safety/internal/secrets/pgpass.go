package secrets

import (
	"strings"

	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// pgpass finds the password in a line of PostgreSQL's file .pgpass (PostgreSQL's manual, "The Password File"):
// host:port:database:user:password. It is found by a port that PostgreSQL and its kin have, or by the name of the file
// before it, behind which the port may be any.
func pgpass() rule.Rule {
	return rule.Rule{
		ID: "pgpass-password", Specificity: rule.ByContext, Match: matchPgpass, MaxGap: maxPgpass,
		Keywords: []string{":5432:", ":5433:", ":5439:", ":6432:", ":6543:", ":26257:", ":*:", ".pgpass"},
		Hits: []string{
			"cat > .pgpass <<EOF\ndb.internal:5432:app:app:{a20}\nEOF",
			"echo 'localhost:5432:*:bob:{a12}' >> ~/.pgpass",
			"*:*:*:postgres:{a16}", "10.0.0.5:6432:orders:svc_orders:{a16}", "$ cat ~/.pgpass\ndb:7000:app:bob:{l9}",
		},
		Misses: []string{
			"host:5432:database:user:password", "db.internal:5432:app:app:*", "5432:5432:tcp:x:y1y2y3",
			"postgres:5432:a:b:healthy", "db:5432:app:app:${PGPASSWORD}", "arn:aws:logs:*:123456:log-group:x1y2z3",
			"see ~/.pgpass for it", "localhost:5432:test:1:2", "redis:6379:0:app:{a12}",
		},
	}
}

// maxPgpass bounds how far behind the name of the file a line is looked for, in bytes, and maxField a field.
const (
	maxPgpass = 360
	maxField  = 100
)

// fieldChars are the bytes of the fields in front of the password.
var fieldChars = lex.NewClass("A-Za-z0-9_.*-")

// matchPgpass matches the password behind the port s[at:end], or in the line behind the name of the file.
func matchPgpass(s string, at, end int) (int, int) {
	if s[at] == ':' {
		host := fieldChars.Back(s, at, maxField)
		if !isFieldStart(s, host) || !isPgHost(s[host:at]) {
			return 0, 0
		}
		return pgPassword(s, end, strings.Contains(s[max(0, at-lex.Lookbehind):at], ".pgpass"))
	}
	stop := min(len(s), end+maxPgpass/2)
	for i := end; i < stop; i++ {
		if s[i] != ':' || i+1 == len(s) {
			continue
		}
		host := fieldChars.Back(s, i, maxField)
		port := fieldChars.Run(s, i+1, 6)
		if host < i && host > end && isFieldStart(s, host) && port > i+1 && port < len(s) && s[port] == ':' {
			if from, to := pgPassword(s, port+1, true); to > 0 {
				return from, to
			}
		}
	}
	return 0, 0
}

// isFieldStart reports whether a line or a word begins at i.
func isFieldStart(s string, i int) bool {
	return i == 0 || strings.IndexByte(" \t\r\n\"'`", s[i-1]) >= 0
}

// isPgHost reports whether a text may be the name of a host, and not a number.
func isPgHost(host string) bool {
	return host == "*" || host != "" && lex.Digits.Run(host, 0, len(host)) < len(host)
}

// pgPassword returns the bounds of the password behind the database and the user that begin at i. inFile says that the
// line is one of the file, where anything may be a password.
func pgPassword(s string, i int, inFile bool) (int, int) {
	for range 2 {
		next := fieldChars.Run(s, i, maxField)
		if next == i || next >= len(s) || s[next] != ':' {
			return 0, 0
		}
		i = next + 1
	}
	to := i
	for to < len(s) && to-i < maxPipedPassword && s[to] > ' ' && strings.IndexByte("\"'`", s[to]) < 0 {
		to++
	}
	from, to := pipedValue(s, i, to)
	if to == 0 || isStandInPassword(s[from:to]) {
		return 0, 0
	}
	if chars := lex.CountChars(s[from:to]); !inFile &&
		(chars.Digit == 0 && chars.Other == 0 && !lex.Scrambled(s[from:to]) || chars.Digit == to-from) {
		return 0, 0
	}
	return from, to
}
