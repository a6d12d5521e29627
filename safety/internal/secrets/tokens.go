package secrets

import (
	"candor/safety/internal/lex"
	"candor/safety/internal/prefilter"
	"candor/safety/internal/rule"
)

// vaultLegacy finds Vault's service tokens from before version 1.10 (Vault documentation,
// "Tokens"): s. and 24 letters and digits. It once matched methods in Go code, such as
// s.ReadUint16LengthPrefixed.
func vaultLegacy() rule.Rule {
	exact := rule.Format{Exact: true, AllowExtra: true}
	return rule.TokenOf("vault-legacy-token", exact, isScattered, []string{"s.{a24}"}).
		Except("s.ReadUint16LengthPrefixed(&x)")
}

// isScattered reports whether a value is random and does not look like an identifier,
// whose digits appear together and whose lower-case letters form words.
func isScattered(v string) bool { return lex.Random(v) && lex.Interleaved(v, 5) }

// facebookToken finds app access tokens (Facebook, "Access tokens"): the app's id, a bar
// and a secret. They have no literal, so each digit, bar and letter is a keyword. A row of
// a table such as 12|34 once matched.
func facebookToken() rule.Rule {
	f := rule.Format{
		Left:  []rule.Part{{Set: lex.Digits, Min: 14, Max: 15}},
		Right: []rule.Part{{Set: lex.WordChars, Min: 26, Max: 40}},
		Exact: true,
	}
	r := rule.Rule{
		ID: "facebook-access-token", Specificity: rule.ByShape,
		Context: prefilter.Context{Prev: lex.Digits, Far: lex.WordChars, Skip: 24},
		Hits:    []string{"{d15}|{k27}", "{d16}|{k27}"},
		Misses:  []string{"a table 12|34 row", "1|a"},
		Match: func(s string, at, end int) (int, int) {
			from := f.Backward(s, at)
			to := f.Forward(s, end, f.Right)
			if from < 0 || to < 0 || !lex.CanStartToken(s, from) || !lex.Random(s[end:to]) {
				return 0, 0
			}
			return from, to
		},
	}
	for d := byte('0'); d <= '9'; d++ {
		r.Keywords = append(r.Keywords, rule.Spread(string([]byte{d, '|'}), lex.WordChars)...)
	}
	return r
}

// sidekiqSecret finds the login to Sidekiq's private gem server in an environment variable
// (Bundler, "bundle config", credentials for gem sources). In a URL, dsn finds it.
func sidekiqSecret() rule.Rule {
	f := rule.Format{Right: mustParts("{x8}:{x8}"), Exact: true}
	return rule.Rule{
		ID: "sidekiq-secret", Specificity: rule.ByContext, Fold: true,
		Keywords: []string{"__contribsys__com"}, MaxGap: 120,
		Hits: []string{
			"BUNDLE_ENTERPRISE__CONTRIBSYS__COM={x8}:{x8}",
			"BUNDLE_GEMS__CONTRIBSYS__COM: \"{x8}:{x8}\"",
		},
		Misses: []string{"BUNDLE_GEMS__CONTRIBSYS__COM is not set"},
		Match: func(s string, at, end int) (int, int) {
			n := valueNear(s, at, end, []rule.Format{f})
			return n.from, n.to
		},
	}
}

// awsSecret finds the secret access key, 40 bytes of base64, up to 139 bytes behind an
// access key id (AWS, "Managing access keys"). It must be random and hold capitals: a
// commit behind an id once matched.
func awsSecret() rule.Rule {
	return rule.Rule{
		ID: "aws-secret-access-key", Specificity: rule.ByContext, Keywords: []string{"AKIA", "ASIA"}, MaxGap: 190,
		Hits:   []string{"AKIA{u16} {b40}", "id AKIA{u16}, secret: {b40}"},
		Misses: []string{"AKIAIOSFODNN7 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"},
		Match: func(s string, at, end int) (int, int) {
			set := lex.Classes['b']
			if at > 0 && set[s[at-1]] {
				return 0, 0
			}
			i := lex.Classes['u'].Run(s, at, 21)
			for stop := min(len(s)-40, at+139); i <= stop; {
				if from := set.Back(s, i+40, 40); from > i {
					i = from
					continue
				}
				to := set.Run(s, i+40, 140)
				if v := s[i : i+40]; to == i+40 && lex.Random(v) && lex.CountChars(v).Upper > 0 {
					return i, to
				}
				i = to + 1
			}
			return 0, 0
		},
	}
}

// seedHex finds a wallet's private key or seed: 64 hex digits within 24 bytes of the words
// that announce one, on the same line (BIP 32 for the size). It once matched a commit
// behind "seed corpus".
func seedHex() rule.Rule {
	return rule.Rule{
		ID: "crypto-private-key", Specificity: rule.WholeBlock, Severity: rule.Critical, Fold: true,
		Keywords: []string{
			"private key",
			"private_key",
			"privatekey",
			"private-key",
			"seed phrase",
			"seed_phrase",
			"mnemonic",
			"seed",
		},
		Match: matchSeedHex, MaxGap: 100,
		Hits: []string{"private key is 0x{h64}", "seed: {h64}", "privateKey={h64}"},
		Misses: []string{
			"the seed 42",
			"private key id abc",
			"seed corpus at 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e",
		},
	}
}

// matchSeedHex matches the first run of exactly 64 hex digits behind the words.
func matchSeedHex(s string, _, end int) (int, int) {
	hex := lex.Classes['x']
	stop := min(len(s), end+24)
	for i := end; i < stop && s[i] != '\n'; i++ {
		if !hex[s[i]] || i > 0 && lex.Alnum[s[i-1]] && s[i-1] != 'x' {
			continue
		}
		if to := hex.Run(s, i, 65); to-i == 64 {
			return i, to
		}
	}
	return 0, 0
}

// looksLikeSlackToken reports whether the body of a token has two digits or changes case
// twice. Words joined by hyphens, such as with-love-from-all-of-us, do neither.
func looksLikeSlackToken(v string) bool {
	return lex.CountChars(v).Digit >= 2 || lex.CaseChanges(v) >= 2
}
