package secrets

import (
	"candor/safety/internal/keyvalue"
	"candor/safety/internal/lex"
	"candor/safety/internal/rule"
)

// Rules are the rules of the detector, families in files of their own.
func Rules() []rule.Rule {
	rules := []rule.Rule{privateKey(), looseKey(), headlessKey(), puttyKey(), jwkPart(), jwt(), jwtLook(), dsn(), bearer(), basicAuth(), authHeader(), cookie(), keyvalue.Rule(), foreignPassword(), commandLine(), seedHex()}
	for _, family := range [][]rule.Rule{aiRules(), platformRules(), cloudRules(), saasRules()} {
		rules = append(rules, family...)
	}
	return rules
}

// seedHex is a wallet's key: 64 hex digits after the words that announce one.
func seedHex() rule.Rule {
	return rule.Rule{
		ID: "crypto-private-key", Specificity: rule.WholeBlock, Action: rule.Block, Fold: true,
		Keywords: []string{"private key", "private_key", "privatekey", "private-key", "seed phrase", "seed_phrase", "mnemonic", "seed"},
		Match:    findSeedHex, MaxGap: 100,
		Hits:   []string{"private key is 0x{h64}", "seed: {h64}", "privateKey={h64}"},
		Misses: []string{"the seed 42", "private key id abc", "seed corpus at 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"},
	}
}

func findSeedHex(s string, _, end int) (int, int) {
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
