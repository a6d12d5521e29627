package keyvalue

import "candor/safety/internal/lex"

// memorablePredicates are those that decide which values are known where they stand alone.
var memorablePredicates = map[string]predicate{
	"isDistinctive": {
		holds:  isDistinctive,
		hits:   []string{"{a12}", "aBcDeFgHiJ"},
		misses: []string{"aaaa1111", "a.b.test"},
	},
	"Memorable": {
		holds: Memorable,
		hits: []string{
			"tr0ub4dor&{a6}", "{a12}", "{a24}", "{h32}", "{a8}-{a8}-{a8}", "{b20}/{b11}=", "p@ssw0rd!",
			"Summer2024",
			"{l3}_live_{a24}", "hunter2hunter2", "(aB3(x9]kQ)", "pä$$w0rt-9", "9#4!7_2*1", "5TGB^yhn&UJM",
			"correct Horse9 battery", "walnut orbit lantern copper", "two {a12} words", "xX{l10}Yy9",
			"ojfojgaymt" + "YPTZFIYP7", "wcqsmmwhew" + "6KKCUYOU7",
		},
		misses: []string{
			"", "hunter2", "swordfish", "password", "Production", "postgres", "postgres15", "my-app-credentials",
			"RefreshTokenRotationStrategy", "storeHandlerManager", "STORE_LOGIN_DEFAULT", "us-east-1",
			"utf8mb4_general_ci",
			"2024-01-31", "2024-01-31T10:00:00", "1234567890", "+1-555-0100", "3.14159265", "v1.20.3",
			"^3.0.3", "10.0.0.12:5432",
			"db-1.internal.example.org:5432", "ann.lee2@mail.example.org", "https://a.test/b1?c=D2",
			"/run/secrets/token1",
			"./src/Main2.go", "internal/server/token2_store.go", "c:\\users\\ann2", "linux-amd64", "node-18-alpine",
			"aaaaaaaa1", "${TOKEN_1}", "xxxxxxxxxxxx", "<your-key-1>", "[REDACTED:named-password]",
			"Enter the password again.",
			"the secret of the app", "get_token(x1)", "args[0].token", "NewClient(Config2{})", "swordfish!",
			"deadbeef",
			"ask him for it", "connection refused", "OAuth2Client", "same-origin", "localhost:8080",
			"sha256sum", "go-1.26.8-linux", "build-20240131-nightly",
		},
	},
	"isCall": {
		holds:  isCall,
		hits:   []string{"f(x)", "a.b[0]", "T{"},
		misses: []string{"f", "a1(b)", "(x)", ""},
	},
	"hasPasswordSign": {
		holds:  hasPasswordSign,
		hits:   []string{"a!b", "a\\b", "#"},
		misses: []string{"a-b_c.d/e:f", ""},
	},
	"isHost": {
		holds:  isHost,
		hits:   []string{"db1.test", "a.b.example:80"},
		misses: []string{"db1", "a.b1", "A.test", "a.test:x1", "a."},
	},
	"isEmail": {
		holds:  isEmail,
		hits:   []string{"Ann.Lee@mail.test"},
		misses: []string{"ann", "p@ss", "a!b@mail.test"},
	},
	"hasMemorableWord": {
		holds:  hasMemorableWord,
		hits:   []string{"use {a12} now"},
		misses: []string{"use it now", "user1 at host2"},
	},
	"isPlainPath": {
		holds:  isPlainPath,
		hits:   []string{"/etc/x1", "src/main/server", "c:\\x", "~/.ssh/id1"},
		misses: []string{"/{b20}", "a1b2c3"},
	},
	"isPassphrase": {
		holds: isPassphrase,
		hits:  []string{"walnut orbit lantern copper", "correct Horse9 battery"},
		misses: []string{
			"walnut orbit lantern", "the lantern of walnut", "walnut orbit Lantern copper",
			"walnut orbit secret copper",
			"ask user2 first", "one of the 24 users has to log in at host7",
		},
	},
	"isNumberedWord": {
		holds:  func(v string) bool { return isNumberedWord(v, lex.CountChars(v), false) },
		hits:   []string{"Summer2024", "hunter2hunter2"},
		misses: []string{"postgres15", "build-2024", "word", "a2b3"},
	},
	"isCompoundName": {
		holds:  func(v string) bool { return isCompoundName(v, lex.CountChars(v)) },
		hits:   []string{"utf8mb4_general_ci", "OAuth2Client", "server-2"},
		misses: []string{"Tr0ubador3x", "utf123mb4_general", "a1_b2", "{a24}"},
	},
	"isUnlikeWords": {
		holds: func(v string) bool { return isUnlikeWords(v, lex.CountChars(v)) },
		hits:  []string{"a1b2c", "a1$b", "Abc1", "1!2#", "A!b", "horse#battery", "bcdfghjklmnpqrstvwxz"},
		misses: []string{
			"xkcdwm1",
			"12",
			"12!",
			"a12",
			"get2_general_ci",
			"ab!c",
			"a=b|c<d>efgh",
			"bcdfgh",
			"bcdf-ghjk-lmnp-qrst",
		},
	},
}
