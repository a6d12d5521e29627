package keyvalue

// In all cases {a12} stands for twelve random letters and digits, as in the examples
// of the rule, and ‸ for the place that a predicate is asked about.

var namePredicates = map[string]predicate{
	"ownsPhrase": {ownsPhrase, []string{"pass", "Seed", "PASS"}, []string{"catch", "", "seeds"}},
	"EndsLikeSecret": {
		EndsLikeSecret,
		[]string{"dbpassword", "MYTOKEN", "rootpwd"},
		[]string{"password", "t", "tokens", "turkey"},
	},
	"followsOwner": {
		onName(followsOwner),
		[]string{"the API ‸key‸: x", "his private ‸Key‸ = x", "the SerpApi ‸key‸ (x)"},
		[]string{"the cache ‸key‸: x", "‸key‸: x", "an API ‸keys‸: x", "api-‸key‸: x", "an (API) ‸key‸"},
	},
	"followsPage": {
		onName(followsPage),
		[]string{"the next page ‸token‸ is x", "CSRF ‸token‸"},
		[]string{"the new ‸token‸", "page ‸tokens‸", "page-‸token‸", "‸token‸"},
	},
	"isObjectPath": {
		isObjectPath,
		[]string{"uploads/2026/a1.png", "backups/1/dump.sql.gz"},
		[]string{"uploads/2026", "a1/b.c", "{a20}/{a8}", "xkcdqrtz/a.b"},
	},
	"isAdjective": {isAdjective, []string{"base64-encoded", "256-bit-sized"}, []string{"tr0ub-4dor", "red", "a1-ed"}},
	"isOtherSubject": {
		onCandidate(isOtherSubject),
		[]string{"the user with the old token is {h24}"},
		[]string{"the token is {h24}", "with the token is {a20}", "he left with the wind, and the token is {h24}"},
	},
	"isVersionedName": {
		isVersionedName,
		[]string{"SERVICE_API_KEY_V2"},
		[]string{"SERVICE_API_KEY", "API_KEY_2B7", "MAX_SIZE_V2", "key_V2"},
	},
	"isOwnKey": {
		isOwnKey,
		[]string{"SPEECH_KEY", "serpApiKey", "ovh_consumer_key"},
		[]string{"key", "KEY", "idempotency_key", "speech_keys", "keyboard", "file-key"},
	},
	"followsWord": {
		onName(func(s string, left, right int) bool { return followsWord(s, left, right, "public") }),
		[]string{"the public ‸key‸: x", "Public ‸Key‸ = x"},
		[]string{"the API ‸key‸: x", "public-‸key‸: x", "‸key‸", "public ‸keys‸"},
	},
	"isVariableName": {
		onName(func(s string, _, right int) bool { return isVariableName(s, right) }),
		[]string{"‸API_KEY‸ as", "‸K2‸"},
		[]string{"‸api_key‸ as", "‸Key‸"},
	},
	"belongsElsewhere": {
		onName(belongsElsewhere),
		[]string{"/etc/‸passwd‸: root", "‸Authorization‸: x", "‸X-AUTHORIZATION‸: x"},
		[]string{"/etc‸passwd‸: x", "‸authority‸: x", "‸auth‸: x"},
	},
	"quotesAssignment": {
		onName(func(s string, left, right int) bool { return quotesAssignment(s, left, right, right+1) }),
		[]string{`HasPrefix(e, "‸PWD‸=") || x`, `'‸token‸='+x`},
		[]string{`"‸PWD‸='x'"`, `‸PWD‸="x"`, `"‸token‸=x`, `"‸token‸=`},
	},
	"beginsMarker": {
		onName(func(s string, _, right int) bool { return beginsMarker(s, right) }),
		[]string{"x=‸‸[REDACTED:github-pat]", "x=‸‸\"[REDACTED:x]\"", "x=‸‸'[REDACTED:x", "x=‸‸[REDACTED:"},
		[]string{"x=‸‸[REDACTED", "x=‸‸ [REDACTED:x]", "x=‸‸\"", "x=‸‸", "x=‸‸[one, two]", "x=‸‸a[REDACTED:x]"},
	},
	"proseFollows": {
		onName(proseFollows),
		[]string{"‸token‸ refresh happens", "a ‸secret‸ known to no one"},
		[]string{
			"‸token‸ is expired now", "‸token‸: refreshed now", "‸token‸ a1b2c3d4e5", "‸token‸ refresh",
			"x_‸token‸ refresh happens", "‸token‸ \"refresh happens",
		},
	},
	"shortWord": {
		atMark(shortWord),
		[]string{"password is ‸wrong, try", "token is ‸expired;"},
		[]string{
			"password is ‸wr0ng, try", "password is ‸incorrectly", "password is ‸bad", "password is ‸bad-word or",
		},
	},
	"mayGrow": {
		atMark(func(s string, i int) bool { return mayGrow(s, i, i) }),
		[]string{"pass‸word", "‸token is", "‸password = ", "the ‸password is tr0ub4", "‸token:\n"},
		[]string{"max ‸tokenizer ", "‸password (of), f(x): " + longTail, "‸password=one2 and then " + longTail},
	},
	"Undecided": {
		atMark(Undecided),
		[]string{"token‸", "token‸ for the ", "token‸ := (", "token‸\" ="},
		[]string{"token‸ (of the database)", "token‸; " + longTail},
	},
}

// longTail is text that leaves no value open at its end.
const longTail = "nothing about it follows; nothing about it follows; nothing about it follows"

var operatorPredicates = map[string]predicate{
	"isBlockSign": {isBlockSign, []string{":|", ":>-"[:2], ":|-"[:2]}, []string{":", "|", "=>", "||", ":="}},
	"assigns":     {assigns, []string{"=", ":", ":=", "=>", "||", "->", "+="}, []string{"-->", "|", "?", "...", "-"}},
	"sentenceMayTell": {
		sentenceMayTell,
		[]string{"password", "DB_TOKEN", "key", "apiKeys", "sorting-keys"},
		[]string{"author", "auth", "max_tokens", "seed"},
	},
	"nextParam": {
		atMark(nextParam),
		[]string{"token=x&‸user=bob", "token=x&‸amp;user=bob"},
		[]string{"token=x&‸user", "token=x&‸=bob", "token=x&‸"},
	},
}

var plausiblePredicates = map[string]predicate{
	"isPlausible": {
		onCandidate(isPlausible),
		[]string{
			"password=hunter2", "token: {a24}", "key={a24}", "the API key: {h40}", "pin_password=8841",
			"<token>{a12}</token>",
			`password = "two words 1"`, "--token {a24}",
		},
		[]string{
			"password=required", "key=config", "token=12345678", "token=`cat token.txt`", "the key: {h40}",
			"--token name",
			"token: RefreshTokenRotation", "key={a24}(x)", `secret = "api_token"`,
		},
	},
	"isKeyMaterial": {
		onCandidate(isKeyMaterial),
		[]string{"key={a24}", "the API key: {h40}"},
		[]string{
			"key: {h40}", "key: linux-{h40}", "key=v2_region_of_primary_bucket1", "key={a12}.{a12}",
			"key={a12}({a12}",
		},
	},
	"standsIn": {
		onCandidate(standsIn),
		[]string{"token=${TOKEN}", "secret: xxxxxxxx", "password: required", "key: jjwt-jackson-0.11.2"},
		[]string{"password=hunter2", "token={a24}"},
	},
	"isStockWord": {
		isStockWord,
		[]string{"required!", "(none", "Missing.", "***true***"[3:]},
		[]string{"swordfish", "required2", ""},
	},
	"isPlainWord": {
		isPlainWord,
		[]string{"swordfish", "Required", "userName"},
		[]string{"hunter2", "a-b", "aBcDeFgHiJkL"},
	},
	"isTestVerdict": {
		onCandidate(isTestVerdict),
		[]string{"--- PASS: TestUser2Login", "pass: step-3 done"},
		[]string{"pass: step-3", "PASS=step3", `PASS: "step3"`, "PASSWORD: step3 x"},
	},
	"isNumber": {
		onCandidate(isNumber),
		[]string{"pin_pass: 8841", "token=123456"},
		[]string{"token=12a", "token=1-2"},
	},
	"namesPassword": {namesPassword, []string{"db_password", "PWD", "user_pin"}, []string{"token", "api_key"}},
	"isShellCommand": {
		onCandidate(isShellCommand),
		[]string{"TOKEN=`cat token.txt`"},
		[]string{"TOKEN=`cat`", "TOKEN='cat token.txt'", "TOKEN: `cat token.txt`"},
	},
	"isPlausibleQuoted": {
		onCandidate(isPlausibleQuoted),
		[]string{`password="two words"`, `put("token", "{a12}")`, `the password is "p@ss"`},
		[]string{
			`secret: "api_token"`, `token: "(?i)tok"`, "the token: `args`", `PWD="/home/bob"`, `x("my token is " + y)`,
			`put("token", "word")`,
		},
	},
	"provesQuoted": {
		onCandidate(provesQuoted),
		[]string{
			`f("token", "abcdefg1")`, `token is "a1"`, `password is "aBcdefgh"`, `token is "a, b"`, `token: "abcd"`,
		},
		[]string{
			`f("token", "abc1")`, `f("token", "abcdefgh")`, `f("token", "abc defg1")`, `token is "abcd"`,
			`token: "abc"`,
			`token: "https://a.test"`, `token: "Only one of these"`,
		},
	},
	"isPlausibleBare": {
		onCandidate(isPlausibleBare),
		[]string{"password=hunter2", "my_secret: {a20}", "password is tr0ub4dor"},
		[]string{
			"token=next(x)", "token = x.keys[0]", "password:\n  length1: 12", "token=/run/token1",
			"token=https://a1.test/",
			"secret=api_token", "TOKEN = 0x000C", "key := encryptionKey1024Key",
		},
	},
	"provesBare": {
		onCandidate(provesBare),
		[]string{
			"password=abc1", "password=swordfish", "password: abc1 x", "password: swordfish", "<token>abcdef</token>",
			"password is abcd1", "password = abcde1",
		},
		[]string{
			"password=abc", "password=words", "password=a.bcdefg", "password: swordfish is", "<token>abcdef",
			"<token>abc</token>",
			"password is swordfish", "password is abc1", "password = abc1", "password = cfg.Token2",
			"password: cfg.Token2 x",
		},
	},
	"isLineOfYAML": {
		onCandidate(isLineOfYAML),
		[]string{"password: swordfish", "db:\n  - password: swordfish\n"},
		[]string{"password: words", "password: a.swordfish", "Password: swordfish is"},
	},
	"isMixed": {
		onCandidate(isMixed),
		[]string{"token=abc1", "token=ab@c", "token=aBcDeFgHiJkL"},
		[]string{"token=abc", "token=ab-c.d_e", "token=userName"},
	},
	"endsSentence": {
		onCandidate(endsSentence),
		[]string{"password is tr0ub4dor", "password is p@ssword"},
		[]string{"password is case-sensitive", "password is 1234", "password is mandatory!", "password is --@--"},
	},
	"hasInnerSign": {
		hasInnerSign,
		[]string{"p@ss", "a!b"},
		[]string{"pass!", "@pass", "a-b", "don't", "and/or", "schön", ""},
	},
	"fillsLine": {
		onCandidate(fillsLine),
		[]string{"password: abc", "x\n  - password: abc\ny"},
		[]string{"password: abc d", "the password: abc", longTail + longTail + "-password: abc"},
	},
}
