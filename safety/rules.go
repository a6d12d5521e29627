package safety

// leakRules are the rules of the detector, families in files of their own.
func leakRules() []rule {
	rules := []rule{privateKey(), looseKey(), headlessKey(), puttyKey(), jwkPart(), jwt(), jwtLook(), dsn(), bearer(), basicAuth(), authHeader(), cookie(), named(), foreignPassword(), commandLine(), seedHex()}
	for _, family := range [][]rule{aiRules(), platformRules(), cloudRules(), saasRules()} {
		rules = append(rules, family...)
	}
	return rules
}

// seedHex is a wallet's key: 64 hex digits after the words that announce one.
func seedHex() rule {
	return rule{
		id: "crypto-private-key", tier: tierBlock, action: Block, fold: true,
		anchors: []string{"private key", "private_key", "privatekey", "private-key", "seed phrase", "seed_phrase", "mnemonic", "seed"},
		find:    findSeedHex, reach: 100,
		hits:   []string{"private key is 0x{h64}", "seed: {h64}", "privateKey={h64}"},
		misses: []string{"the seed 42", "private key id abc", "seed corpus at 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"},
	}
}

func findSeedHex(s string, _, end int) (int, int) {
	hex := classes['x']
	stop := min(len(s), end+24)
	for i := end; i < stop && s[i] != '\n'; i++ {
		if !hex[s[i]] || i > 0 && alnum[s[i-1]] && s[i-1] != 'x' {
			continue
		}
		if to := hex.run(s, i, 65); to-i == 64 {
			return i, to
		}
	}
	return 0, 0
}
