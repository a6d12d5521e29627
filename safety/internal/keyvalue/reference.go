package keyvalue

import (
	"slices"
	"strings"

	"candor/safety/internal/lex"
)

// refersToSecret reports whether a value only points to a credential or shows a part
// of it: the start of a token before an ellipsis, the place of a secret in a vault, a
// digest that names its algorithm, a template, a description, a call, a resource name.
func refersToSecret(c *candidate) bool {
	return isElided(c) || isReference(c.text) || isMasked(c.text) || isVersion(c.text) || isTemplate(c.text) ||
		isDescription(c.text) || isQuotedCall(c) || isResourceName(c)
}

// isElided reports whether an ellipsis stands for nearly all of a value: ghp_..., or
// abcdef….
func isElided(c *candidate) bool {
	shown := strings.TrimRight(c.text, ".")
	rest := c.s[c.value.To:]
	if len(c.text)-len(shown) <= 2 && !strings.HasPrefix(rest, "...") && !strings.HasPrefix(rest, "\u2026") {
		return false
	}
	return len(shown) <= 6 || shown[len(shown)-1] == '-' || shown[len(shown)-1] == '_'
}

// isMasked reports whether a value is bullets, dots or asterisks.
func isMasked(text string) bool {
	return !lex.Alnum[text[0]] && strings.Trim(text, "\u2022\u25cf\u2026*") == ""
}

// isReference reports whether a value begins like a digest with its algorithm, or
// like the place of a secret: vault:secret/data/app, op://vault/item, os.environ. Its
// first letter rules most values out at once; a new head may need a new letter.
func isReference(text string) bool {
	return strings.IndexByte("smvro", text[0]) >= 0 &&
		slices.ContainsFunc(referenceHeads[:], func(head string) bool { return strings.HasPrefix(text, head) })
}

// referenceHeads begin the digests of Subresource Integrity and of container images,
// the references of secret managers, and environment variables in Python.
var referenceHeads = [...]string{
	"sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:",
	"vault:", "ssm:", "ref+", "op://", "os.environ", "os.getenv",
}

// isTemplate reports whether a value has a place for the credential in it, ${…}, {{…}},
// #{…}, {}, %s or %v, or is a colour, #dddddd.
func isTemplate(text string) bool {
	if text[0] == '#' && len(text) <= 9 && lex.Classes['x'].Run(text, 1, len(text)) == len(text) {
		return true
	}
	if strings.IndexByte(text, '{') < 0 && strings.IndexByte(text, '%') < 0 {
		return false
	}
	for _, hole := range [...]string{"${", "{{", "#{", "{}"} {
		if strings.Contains(text, hole) {
			return true
		}
	}
	for _, verb := range [...]string{"%s", "%v"} {
		if i := strings.Index(text, verb); i >= 0 && (i+2 == len(text) || !lex.Alnum[text[i+2]]) {
			return true
		}
	}
	return false
}

// isDescription reports whether a text of several words says what belongs in its
// place: refresh token, my client secret.
func isDescription(text string) bool {
	words := 0
	for rest := text; rest != ""; words++ {
		i := inWords.Run(rest, 0, lex.LongestWord+1)
		if !lex.Benign.Has(rest[:i]) && !describingWords.Has(rest[:i]) {
			return false
		}
		rest = rest[min(i+1, len(rest)):]
	}
	return words > 1
}

// inWords are the bytes that separate no words of a description.
var inWords = func() (c lex.Class) {
	for b := range c {
		c[b] = b != ' ' && b != '_' && b != '-'
	}
	return c
}()

// describingWords appear in descriptions of credentials, besides the stock words.
var describingWords = lex.WordSet("refresh access client my some new old fake mock api top super very app id auth")

// isQuotedCall reports whether a value in quotes is a call that says where the value
// comes from: "os.getenv('TOKEN')", "uuid4()". In the backquotes of Markdown any call
// or index is one.
func isQuotedCall(c *candidate) bool {
	if !c.value.Quoted {
		return false
	}
	k := identifierChars.Run(c.text, 0, len(c.text))
	if k == 0 || k == len(c.text) || c.text[k] != '(' && c.text[k] != '[' {
		return false
	}
	last := c.text[len(c.text)-1]
	if last != ')' && last != ']' {
		return false
	}
	return c.s[c.value.From-1] == '`' || strings.IndexByte(c.text[:k], '.') > 0 || k+2 == len(c.text)
}

// isVersion reports whether a value is a version: numbers with at least two dots
// between, and what package managers put before them, as in ^3.0.3.
func isVersion(text string) bool {
	if !lex.Digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	dots := 0
	for i := beforeVersion.Run(text, 0, len(text)); i < len(text); i++ {
		if text[i] == '.' {
			dots++
		} else if !lex.Digits[text[i]] {
			return false
		}
	}
	return dots >= 2
}

// beforeVersion are the bytes that may appear before a version.
var beforeVersion = lex.NewClass("^~>=<v ")

// isResourceName reports whether a value is part of the name of a cloud resource:
// arn:aws:secretsmanager:…:secret:name.
func isResourceName(c *candidate) bool {
	s, i := c.s, c.value.From
	start := i
	for start > 0 && i-start < lex.Lookbehind && (lex.Token68[s[start-1]] || s[start-1] == ':') {
		start--
	}
	return strings.HasPrefix(s[start:], "arn:")
}

// isArtifact reports whether a value is a package and its version, as behind a colon
// in a build file: jjwt-jackson-0.11.2.
func isArtifact(text string) bool {
	if !lex.Digits[text[len(text)-1]] && text[len(text)-1] != '.' {
		return false
	}
	i := strings.LastIndexByte(text, '-')
	if i < 1 || i+1 >= len(text) || !NameLike(text[:i]) {
		return false
	}
	version := text[i+1:]
	for k := range len(version) {
		if !lex.Digits[version[k]] && version[k] != '.' {
			return false
		}
	}
	return strings.IndexByte(version, '.') > 0
}

// isPath reports whether a value is the path of a file, which often follows a name
// such as pwd or tokenFile. What holds + or = is base64.
func isPath(text string) bool {
	if text[0] != '/' && text[0] != '.' && text[0] != '~' {
		return false
	}
	for _, p := range [...]string{"/", "./", "../", "~/"} {
		if strings.HasPrefix(text, p) {
			return strings.IndexByte(text, '+') < 0 && strings.IndexByte(text, '=') < 0
		}
	}
	return false
}

// isFile reports whether a value is a path and not base64 that happens to begin with
// a slash: that is long, with capitals and digits.
func isFile(c *candidate) bool {
	return isPath(c.text) && (c.chars.Upper == 0 || c.chars.Digit <= 1 || len(c.text) < 30)
}

// isWorkingDirectory reports whether a value is a path behind PWD, the shell's working
// directory.
func isWorkingDirectory(c *candidate) bool { return isPath(c.text) && lex.ContainsFold(c.name, "pwd") }

// isURL reports whether a value holds an address, whose own rules mask the password
// in it.
func isURL(text string) bool { return strings.Contains(text, "://") || strings.HasPrefix(text, "//") }
