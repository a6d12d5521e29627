package secrets

import (
	"strings"

	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
)

// maxBreaks is how many line ends may break a connection string before its host.
const maxBreaks = 3

// brokenDSN returns the bounds of the password in a connection string that is broken over
// lines before its host, given its :// at s[at:end]: behind the scheme, in the password, or in
// front of the @. The result is zeros if there is none; open reports whether that may be
// because s ends early.
//
//	postgres://app:\
//	  s3cr3t@db/x
//
// A URL is often followed by a line with an @ in it, so the two parts must make a login: the
// scheme is that of no web page, the user is no host, the text behind the colon no port, and
// what follows the @ a host.
func brokenDSN(s string, at, end int) (from, to int, open bool) {
	if isWebScheme(s[schemeSet.Back(s, at, 20):at]) {
		return 0, 0, false
	}
	colon, breaks := -1, 0
	for i := end; i < len(s) && i < end+maxURLUser+maxURLPassword; i++ {
		switch c := s[i]; {
		case c == '@':
			return passwordUpTo(s, colon, i, breaks)
		case c == ':' && colon < 0:
			colon = i
		case strings.IndexByte("/?#", c) >= 0 || c == '.' && colon < 0 || breaks > maxBreaks:
			return 0, 0, false
		case urlEnd[c]:
			next := i
			if next, open = lineBreak(s, end, colon, i); next == i {
				return 0, 0, open
			}
			i, breaks = next-1, breaks+1
		}
	}
	return 0, 0, len(s) < end+maxURLUser+maxURLPassword
}

// passwordUpTo returns the bounds of the password between the colon and the @ at index at, if
// there was a line end before it and a host follows.
func passwordUpTo(s string, colon, at, breaks int) (from, to int, open bool) {
	if colon < 0 || breaks == 0 || at-colon <= minBrokenPassword || !isHost(s, at+1) {
		return 0, 0, at+1 == len(s)
	}
	if from = afterBreak(s, colon+1); isMarker(s[from:at]) {
		return 0, 0, false
	}
	return from, at, false
}

// isMarker reports whether a password is a marker of ours and nothing else.
func isMarker(v string) bool {
	return strings.HasPrefix(v, lex.MarkerPrefix) && strings.IndexByte(v, ']') == len(v)-1
}

// lineBreak returns where the login that starts at end goes on behind a line end at i, or i if
// there is none, an empty line follows, or a port or the user's name precedes it; open reports
// whether that may be because s ends early.
func lineBreak(s string, end, colon, i int) (next int, open bool) {
	if isPort(s[colon+1:i]) || i > end && colon < 0 {
		return i, false
	}
	kind, next := decode.SkipJoint(s, i)
	if kind == decode.JointNone || kind == decode.JointSpace {
		return i, next >= len(s)
	}
	if strings.Count(s[i:next], "\n") > 1 {
		return i, false
	}
	return next, false
}

// isOpenDSN reports whether more text may complete a connection string that a line end breaks.
func isOpenDSN(s string, at, end int) bool {
	_, _, open := brokenDSN(s, at, end)
	return open
}

// minBrokenPassword is the length of the shortest password that is looked for over a line end,
// with what breaks it.
const minBrokenPassword = 6

// isWebScheme reports whether a scheme is one of addresses in prose, which need no login.
func isWebScheme(scheme string) bool {
	for _, web := range [...]string{"http", "https", "ws", "wss", "file", "git"} {
		if lex.EqualFold(scheme, web) {
			return true
		}
	}
	return false
}

// isPort reports whether v is the number of a port.
func isPort(v string) bool {
	return len(v) > 1 && len(v) <= 5 && lex.Digits.Run(v, 0, len(v)) == len(v)
}

// isHost reports whether the name of a host is at i.
func isHost(s string, i int) bool { return i < len(s) && lex.Alnum[s[i]] }

// afterBreak moves the start of a password behind a line end directly in front of it.
func afterBreak(s string, i int) int {
	if strings.IndexByte(" \t\r\n\\\"'`", s[i]) >= 0 {
		if kind, next := decode.SkipJoint(s, i); kind != decode.JointNone {
			return next
		}
	}
	return i
}
