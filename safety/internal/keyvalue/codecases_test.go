package keyvalue

import (
	"candor/safety/internal/lex"
)

var codePredicates = map[string]predicate{
	"looksLikeCode": {
		onCandidate(looksLikeCode),
		[]string{
			"password=storeHandlerManager", "PASSWORD=STORE_LOGIN_DEFAULT", "TOKEN_FILE: server/token_store.go",
			"token=some-long-name", `token="someLongName"`,
		},
		[]string{"password=swordfish", "password=store2Handler", "password=some-long-name", `secret="someLongName"`},
	},
	"isConstantName": {isConstantName, []string{"STORE_LOGIN"}, []string{"STORE", "Store_Login", "STORE_2", "_STORE"}},
	"isCodeName": {
		isCodeName,
		[]string{"s3_use_region_endpoint", "use-private2-region"},
		[]string{"s3_region", "use arn region", "3_use_arn_region", "use1_arn2_region3", "{a24}"},
	},
	"isKeyVariable": {
		isKeyVariable,
		[]string{"testRSA2048PrivateKey", "fake1Token"},
		[]string{"key", "PrivateKEY", "a{d6}Key", "testRSA2048Private", "RSAKey", "2Key", "a-Key", "test_Rkey"},
	},
	"namesSecret": {
		onCandidate(namesSecret),
		[]string{"password=api_token", `secret: "signing-key"`},
		[]string{"password=api_token2", "password=swordfish", "password=api@token"},
	},
	"isPattern": {isPattern, []string{"(?i)token", "[^ ]+"}, []string{"(a)", "[a-z]"}},
	"isQuotedIdentifier": {
		onCandidate(isQuotedIdentifier),
		[]string{"the token: `args.index`"},
		[]string{"the token: `args1`", "token: 'args'", "password: `args`", "token: `aBcDeFgHiJkL`"},
	},
	"closesString": {
		atMark(closesString),
		[]string{
			`f("token is ‸" + x)`, `f("token=‸", y)`, "x\n\"token: ‸\")", `f("say \"token is ‸" + x`,
			longTail + longTail + longTail + ` token ‸" + x`,
			longTail + longTail + longTail + ` token ‸", x`,
		},
		[]string{
			`f(token is ‸" + x)`, "f(`token is ‸` + x)", `f("token is ‸"abc`, `f("token is ‸"`,
			`f(say \"token is ‸" + x`,
			longTail + longTail + longTail + ` token ‸";`,
		},
	},
	"isSentence": {
		isSentence,
		[]string{"only one of these.", "Only one of these"},
		[]string{"only one of these", "Only 1 of these", "One of these", "two words."},
	},
	"isYAMLKey": {
		onCandidate(isYAMLKey),
		[]string{"password:\n  length: 12"},
		[]string{"password: length:12", "password:\n  length", "token =>\n  length: 12"},
	},
	"isHexNumber": {isHexNumber, []string{"0x000c", "-0x7f"}, []string{"000c", "0xyz", "0x0123456789abcdef01"}},
	"isAlphabet": {
		onCandidate(isAlphabet),
		[]string{
			"token=abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
			"token=0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-abcdefghijklmnopqrstuvwxyz",
		},
		[]string{"token=abcdefghijklm", "token=abcdefghijklmnopqrstuvwxyz0123456789", "token={a40}"},
	},
	"Called": {atMark(Called), []string{"f‸(x)", "f‸[0]", "f‸{"}, []string{"f‸", "f‸ (", "f‸)"}},
	"isExpression": {
		onCandidate(isExpression),
		[]string{
			"token=yaml_token_t{", "token=&foo(x", "token := req.keys[0]", "token=get2(a)",
			"token=t.token+y",
		},
		[]string{"token=hunter2", "token=(x)", "token=9foo(x", "token=get2(a", "token=get2(a)b"},
	},
	"isMemberUse": {
		func(text string) bool { return isMemberUse(text, identifierChars.Run(text, 0, len(text))) },
		[]string{"x.token[0]", "x.api_key+y", "a.b.password(x"},
		[]string{"x.name[0]", "token[0]", "x.token.[", ".token[0]", "x.token{"},
	},
	"closesExpression": {
		atMark(closesExpression),
		[]string{"f(x‸)", "f(x‸) y", "f[x‸](y)"},
		[]string{"f(x‸)y", "f(x‸", "f(x‸y)"},
	},
	"isSelector": {
		onCandidate(isSelector),
		[]string{"token = cfg.Token2", "token = f(x", "token = a[0", "token = &cfg", "token = c123.token"},
		[]string{"token = hunter2", "token = 1.cfg", "token = c123.name", "token = " + longDotted},
	},
	"isDotted": {isDotted, []string{"a.b", "config.Password_2"}, []string{"ab", ".ab", "ab.", "a.b-c"}},
	"NameLike": {NameLike, []string{"api_key", "two-words", "a.b", "don't"}, []string{"key2", "a b", "a@b"}},
}

// longDotted is too long for a path of names, and may be a token.
const longDotted = "abcdefghijklmnopqrstuvw.abcdefghijklmnopqrstuvwxyz"

var referencePredicates = map[string]predicate{
	"refersToSecret": {
		onCandidate(refersToSecret),
		[]string{
			"token: ghp_...", "token: vault:secret/app", `token: "••••••"`, "token: 1.2.3", "token: #dddddd",
			`token: "refresh token"`, `token: "uuid4()"`, "arn:aws:iam::1:secret:prod/db1",
		},
		[]string{"token={a24}", "password=hunter2"},
	},
	"isElided": {
		onCandidate(isElided),
		[]string{
			"token: ghp_...", "token: {l20}_...", "token: abcdef…", "token: 'abc'..."[:10] + "...",
			`token: "....."`,
		},
		[]string{"token: {a20}...", "token: ghp_abc", "token: {a20}…"},
	},
	"isMasked": {isMasked, []string{"••••", "●●", "…", "**"}, []string{"••a", "a••", "--"}},
	"isReference": {
		isReference,
		[]string{"sha256:{h40}", "md5:{h32}", "vault:secret/app", "ref+file://x", "op://vault/x", "os.environ['X']"},
		[]string{"hunter2", "shadow", "vaults", "xsha256:", "operator"},
	},
	"isTemplate": {
		isTemplate,
		[]string{"#dddddd", "a${X}", "{{ .x }}", "#{x}", "%s:%s", "id-%v"},
		[]string{"#dddddx", "#0123456789", "abc", "a{b", "50%", "%sword"},
	},
	"isDescription": {
		isDescription,
		[]string{"refresh token", "my_client-secret"},
		[]string{"token", "correct horse", "refresh horse"},
	},
	"isQuotedCall": {
		onCandidate(isQuotedCall),
		[]string{`token: "os.getenv('X')"`, `token: "uuid4()"`, "token: `get(x)`", "token: `args[0]`"},
		[]string{`token: "get(x)"`, `token: "uuid4"`, `token: "os.getenv("`, `token: "(x)"`, "token: os.getenv(x)"},
	},
	"isVersion": {
		isVersion,
		[]string{"1.2.3", "^3.0.3", ">= 1.2.", "v1.20.3"},
		[]string{"1.2", "1.2.3-rc1", "a.1.2", "1.2.x"},
	},
	"isResourceName": {
		onCandidate(isResourceName),
		[]string{"arn:aws:secretsmanager:us-east-1:1:secret:prod/db1"},
		[]string{"arn aws secret:prod/db1", "secret:prod/db1"},
	},
	"isArtifact": {
		isArtifact,
		[]string{"jjwt-jackson-0.11.2", "lib-1.0."},
		[]string{"jjwt-jackson-2", "jjwt", "-1.0", "lib2-1.0", "lib-1.x0", "lib-1.0x"},
	},
	"isPath": {isPath, []string{"/etc/x", "./x", "../x", "~/x"}, []string{"etc/x", ".x", "~x", "/ab+c", "/abc="}},
	"isFile": {
		onCandidate(isFile),
		[]string{"token=/run/secrets/token1", "token=/abcdefghijklmnopqrstuvwxyzab12"},
		[]string{"token=/{a20}{a20}", "token=run/token"},
	},
	"isWorkingDirectory": {
		onCandidate(isWorkingDirectory),
		[]string{"PWD=/home/bob"},
		[]string{"token=/home/bob", "PWD=abc"},
	},
	"isURL": {isURL, []string{"https://a.test", "//a.test"}, []string{"a//b", "a:b", "/a"}},
}

var generatedPredicates = map[string]predicate{
	"isPlausibleBeside": {
		onCandidate(isPlausibleBeside),
		[]string{
			"password g1H2j3K4 x", "the API key '{h40}' x", "token '{h40}' x", "password 'abcdef1' x",
			"password 'ab!!cde12' x",
		},
		[]string{"token 'abcdef1' x", "password 'abc1' x", "password 'abcdef' x", "password 'abc def 1' x"},
	},
	"isPlausibleFlagged": {
		onCandidate(isPlausibleFlagged),
		[]string{"--token {a24}", "--token {h40}", "--password abc!12xyz", "--token ABcdefgh1", "| token | 1{l20} |"},
		[]string{"--token name", "--token src/file.1aB", "--token ABcdefgh", "--token Use3HugeBranch", "--auth {h40}"},
	},
	"isChosenPassword": {
		isChosenPassword,
		[]string{"abcdef1!2", "p@ssw0rd1"},
		[]string{"abc1!2", "abcdefgh!", "abcdefg12"},
	},
	"isDigest": {
		isDigest,
		[]string{"{h32}", "{h8}-{h20}-{h8}"},
		[]string{"{h31}", "{l40}z", "abcdefabcdefabcdefabcdefabcdefab"},
	},
	"isLabelledDigest": {
		isLabelledDigest,
		[]string{"linux-x64-npm-{h40}", "v1:{h32}"},
		[]string{"{h40}", "linux-{h20}", "-{h31}"},
	},
	"hasScatteredDigits": {
		func(text string) bool { return hasScatteredDigits(text, lex.CountChars(text)) },
		[]string{"g1H2j3K4", "ab1cd2ef3gh"},
		[]string{"{h40}", "abcdefg12", "Version1", "a1b2", "a.B1.c2D", "/a1/B2/cd3", "1-2-a-B-3-c", "ab1cdef2gh"},
	},
	"maybeScattered": {
		atMark(maybeScattered),
		[]string{"x ‸a1b2c3d4", "x ‸'abcdefg'", "x ‸aBcDeFgH1"},
		[]string{"x ‸a1b2", "x ‸`abcdefg`", "x=‸'abcdefg'", "x ‸abcdefgh", "x ‸aBcDeFgHi"},
	},
	"startsGenerated": {
		func(text string) bool { return startsGenerated(lex.Load8(text, 0)) },
		[]string{"abcdefg1", "aBcDefgh", "1bcdefgh"},
		[]string{"abcdefgh", "ABCDEFGH", "Abcdefgh"},
	},
}
