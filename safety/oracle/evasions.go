package oracle

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Evasion is a text that hides a secret from a scan for its plain form.
type Evasion struct {
	Kind, Text string
	Secret     string // what must not remain, as written in Text
}

// Evasions returns the same few secrets in all the ways we know to hide them: invisible
// characters, look-alikes, encodings, fragments, spelled-out bytes, damaged key files,
// and names and quoting that hide an assignment.
func Evasions() []Evasion {
	var out []Evasion
	add := func(kind, text, secret string) { out = append(out, Evasion{kind, text, secret}) }
	keys := []string{
		Generate(`ghp_[0-9a-zA-Z]{36}`, 1), Generate(`sk-ant-api03-[a-zA-Z0-9]{93}AA`, 2),
		Generate(`AKIA[A-Z2-7]{16}`, 3), Generate(`xoxb-[0-9]{12}-[0-9]{12}-[a-zA-Z0-9]{24}`, 4),
	}
	for _, k := range keys {
		hide(add, k)
	}
	// A password without a shape of its own, under a name or in a URL.
	pw := Generate(`[a-z]{4}[0-9]{3}[A-Z]{4}`, 5)
	add("dsn", "postgres://app:"+pw+"@db.test/x", pw)
	add("dsn-broken", "postgres://app:"+pw[:5]+"\n  "+pw[5:]+"@db.test/x", pw[5:])
	add("basic-auth-url", "https://bot:"+pw+"@git.test/r.git", pw)
	add("quoted-password-with-spaces", `password = "`+"correct horse "+pw+`"`, "correct horse")
	add("low-entropy", "password=hunter2", "hunter2")
	add("low-entropy", "DB_PASSWORD=swordfish", "swordfish")
	add("low-entropy", "the password is letmein1", "letmein1")
	add("yaml-password", "db:\n  password: "+pw+"\n  user: app", pw)
	add("json-in-json", `{"body":"{\"password\":\"`+pw+`\"}"}`, pw)
	add("json-in-json-twice", `{"a":"{\\\"b\\\":\\\"x\\\",\\\"apiKey\\\":\\\"`+pw+`\\\"}"}`, pw)
	// Private keys that are cut short, quoted, re-encoded or without their frame.
	pem := "-----BEGIN RSA PRIVATE " + "KEY-----\n" +
		Generate(`[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n`, 6)
	add("truncated-pem", "x "+pem, pem[40:80])
	add("truncated-pem", "x "+pem[:90], pem[40:80])
	body := strings.TrimSpace(pem[31:])
	add("pem-without-begin", body+"\n-----END RSA PRIVATE "+"KEY-----", body[20:60])
	add("pem-four-dashes", "----BEGIN RSA PRIVATE "+"KEY----\n"+body, body[20:60])
	add("pem-plus", url.QueryEscape(pem), url.QueryEscape(body)[4:30])
	add("pem-quoted", "> "+strings.ReplaceAll(pem, "\n", "\n> "), body[20:60])
	add("putty-key", "Private-Lines: 3\n"+body+"\nPrivate-MAC: 0", body[20:60])
	add("jwk", `{"kty":"EC","d":"`+strings.NewReplacer("+", "-", "/", "_").Replace(body[:43])+`"}`,
		strings.NewReplacer("+", "-", "/", "_").Replace(body[:43]))
	add("base64-pem", base64.StdEncoding.EncodeToString([]byte(pem)),
		base64.StdEncoding.EncodeToString([]byte(pem))[40:80])
	add("cookie", "Cookie: sid="+pw+pw, pw)
	add("fullwidth-name", "ｐａｓｓｗｏｒｄ="+pw, pw)
	add("known-name-entity", "password&#61;"+pw, pw)
	return out
}

// hide adds k behind invisible characters, under look-alikes and under each encoding.
func hide(add func(kind, text, secret string), k string) {
	at := 7
	for _, r := range []rune{0x200b, 0x200d, 0xad, 0x200e, 0x2060, 0xfeff, 0x202e, 0xe0041, 0x34f, 0xfe0f} {
		hidden := k[:at] + string(r) + k[at:]
		add("invisible", "use "+hidden+" now", k[at:])
	}
	add("control", "use "+k[:at]+"\x00"+k[at:], k[at:])
	add("ansi", "use "+k[:at]+"\x1b[31m"+k[at:], k[at:])
	add("fullwidth", "use "+full(k), full(k)[12:])
	add("fullwidth-prefix", "use "+full(k[:4])+k[4:], k[6:])
	add("homoglyph", "use "+homoglyph(k), homoglyph(k)[6:])
	add("percent", "https://x.test/?q="+percent(k), percent(k)[12:])
	add("percent-some", "https://x.test/?q="+url.QueryEscape("a="+k+"&b"), k[6:])
	add("unicode-escape", `"`+unicode(k)+`"`, unicode(k)[24:])
	add("unicode-escape-prefix", `"`+unicode(k[:4])+k[4:]+`"`, k[6:])
	add("hex-escape", `'`+hexEscape(k)+`'`, hexEscape(k)[20:])
	add("entity", entity(k), entity(k)[20:])
	add("entity-hex", strings.ReplaceAll(entity(k[:4]), "&#", "&#0")+k[4:], k[6:])
	// The same bytes have three forms in base64, one for each offset.
	for pad := range 3 {
		in := strings.Repeat("z", pad) + " " + k + " tail"
		enc := base64.StdEncoding.EncodeToString([]byte(in))
		add("base64", "payload "+enc+".", enc[6:26])
		add("base64url", "payload="+base64.RawURLEncoding.EncodeToString([]byte(in)), enc[6:30])
		add("base64-twice", "payload "+base64.StdEncoding.EncodeToString([]byte(enc)),
			base64.StdEncoding.EncodeToString([]byte(enc))[6:40])
	}
	add("hex", "blob "+hex.EncodeToString([]byte(k)), hex.EncodeToString([]byte(k))[16:])
	add("hex-upper", "blob 0x"+strings.ToUpper(hex.EncodeToString([]byte(k))),
		strings.ToUpper(hex.EncodeToString([]byte(k)))[16:])
	add("allow-comment", k+" # gitleaks:allow", k)
	tear(add, k)
	spell(add, k)
	disguise(add, k)
	add("markdown", "`"+k+"` and **"+k+"**", k)
	add("json-in-json", `{"body":"{\"a\":\"`+k+`\"}"}`, k)
}

// tear adds k in two fragments, joined by what source code, markup and line wrapping
// put between them. Neither fragment may remain.
func tear(add func(kind, text, secret string), k string) {
	at := len(k) / 2
	for kind, seam := range map[string]string{
		"continued-line": "\\\n", "wrapped": "\n", "wrapped-quoted": "\n> ", "wrapped-comment": "\n# ",
		"table-cells": " |\n|   | ", "concatenated": `" + "`, "concatenated-php": `" . "`,
		"adjacent-literals": "\"\n  \"",
		"tag-inside":        "<b>", "comment-inside": "<!-- -->", "emphasis-inside": "**", "ansi-as-text": `\x1b[0m`,
		"soft-hyphen-reference": "&shy;", "zero-width-escape": `\u200b`, "zero-width-percent": "%E2%80%8B",
		"quoted-printable": "=\n",
	} {
		add(kind, `I set it to "`+k[:at]+seam+k[at:]+`" first`, k[:at])
		add(kind, `I set it to "`+k[:at]+seam+k[at:]+`" first`, k[at:])
	}
}

// spell adds k as a list of byte values, in base64 of UTF-16, and in wrapped base64.
func spell(add func(kind, text, secret string), k string) {
	for kind, how := range map[string][2]string{
		"hex-spaced": {"%02x", " "}, "hex-colons": {"%02X", ":"}, "hex-array": {"0x%02x", ", "},
		"decimal-array": {"%d", ", "}, "octal": {"\\%03o", ""}, "entity-open": {"&#%d", ""},
		"quoted-printable-all": {"=%02X", ""},
	} {
		var all []string
		for i := range len(k) {
			all = append(all, fmt.Sprintf(how[0], k[i]))
		}
		text := strings.Join(all, how[1])
		add(kind, "It is ["+text+"] in all", text[len(text)/3:len(text)/2])
	}
	wide := make([]byte, 0, 2*len(k))
	for i := range len(k) {
		wide = append(wide, k[i], 0)
	}
	enc := base64.StdEncoding.EncodeToString(wide)
	add("base64-utf16", "powershell -enc "+enc, enc[10:40])
	lines := base64.StdEncoding.EncodeToString([]byte("user: ci, and the token follows here: " + k + "."))
	add("base64-wrapped", "data:\n  "+lines[:40]+"\n  "+lines[40:], lines[len(lines)-24:len(lines)-8])
}

// disguise adds k in encodings that its reader undoes by hand, or with a tool that no browser
// has.
func disguise(add func(kind, text, secret string), k string) {
	in := "the key is " + k + "."
	b32 := base32.StdEncoding.EncodeToString([]byte(in))
	add("base32", "blob "+b32, b32[24:40])
	add("base32-lower", "blob "+strings.ToLower(b32), strings.ToLower(b32[24:40]))
	var g, z bytes.Buffer
	for _, w := range []io.WriteCloser{gzip.NewWriter(&g), zlib.NewWriter(&z)} {
		_, _ = io.WriteString(w, in)
		_ = w.Close()
	}
	for kind, raw := range map[string][]byte{"gzip-base64": g.Bytes(), "zlib-base64": z.Bytes()} {
		enc := base64.StdEncoding.EncodeToString(raw)
		add(kind, "blob "+enc, enc[16:36])
	}
	back := []byte(k)
	slices.Reverse(back)
	add("reversed", "read backwards: "+string(back), string(back[:12]))
	rot := strings.Map(func(r rune) rune {
		switch low := r | 0x20; {
		case low >= 'a' && low <= 'm':
			return r + 13
		case low >= 'n' && low <= 'z':
			return r - 13
		}
		return r
	}, k)
	add("rot13", "in rot13 "+rot, rot[6:])
	apart := strings.Join(strings.Split(k, ""), " ")
	add("letters-apart", "It is "+apart+" in all", apart[10:30])
	add("emphasis-in-prefix", "use "+k[:2]+"**"+k[2:], k[6:])
	add("code-in-prefix", "use "+k[:2]+"`"+k[2:3]+"`"+k[3:], k[6:])
}

// full returns s in full-width letters.
func full(s string) string {
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r - 0x21 + 0xff01)
	}
	return b.String()
}

// homoglyph replaces letters of the prefix with Cyrillic ones of the same look.
func homoglyph(s string) string {
	return strings.NewReplacer("p", "р", "o", "о", "a", "а", "A", "А", "I", "І", "s", "ѕ", "x", "х").Replace(s[:4]) +
		s[4:]
}

// each formats every byte of s with format.
func each(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

func percent(s string) string   { return each(s, "%%%02X") }
func unicode(s string) string   { return each(s, `\u%04x`) }
func hexEscape(s string) string { return each(s, `\x%02x`) }
func entity(s string) string    { return each(s, "&#%d;") }
