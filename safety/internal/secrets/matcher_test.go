package secrets

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
	"candor/safety/internal/ruletest"
)

// assertMatches checks what a rule matches in a text whose secret stands between two ‸,
// or, without the marks, that it matches nothing.
func assertMatches(t *testing.T, r rule.Rule, template string) {
	t.Helper()
	parts := strings.Split(ruletest.Fill(template, 5), "‸")
	text := strings.Join(parts, "")
	if len(parts) == 1 {
		assert.Empty(t, ruletest.Matches(&r, text), "%q", text)
		return
	}
	found := ruletest.Matches(&r, text)
	require.NotEmpty(t, found, "%q", text)
	assert.Equal(t, parts[1], found[0], "%q", text)
}

func TestAnAWSSecretIsFoundBehindItsKeyID(t *testing.T) {
	prose := strings.Repeat(" and so on,", 9) // 99 bytes
	for name, text := range map[string]string{
		"side by side":          "AKIA{u16} ‸{b40}‸ end",
		"behind some prose":     "AKIA{u16}" + prose + " ‸{b40}‸ end",
		"too far behind":        "AKIA{u16}" + prose + prose + " {b40} end",
		"a run that is longer":  "AKIA{u16} {b44} end",
		"an id inside a word":   "xAKIA{u16} {b40} end",
		"a commit behind an id": "AKIA{u16} 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e",
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, awsSecret(), text) })
	}
}

func TestURLsLoseTheirPasswordOnly(t *testing.T) {
	for name, text := range map[string]string{
		"a password before a host":             "postgres://app:‸{a12}‸@db.test:5432/x",
		"a password that holds an at sign":     "amqp://u:‸{a6}@{a6}‸@mq/x",
		"a password that holds a slash":        "amqp://u:‸{a6}/{a6}‸@mq/x",
		"a token in place of the user":         "https://‸{a30}‸@git.test/r.git",
		"a name in place of the user":          "https://somebody@git.test/r.git",
		"a scheme that is missing":             " ://u:{a12}@host",
		"a port and a path with an at sign":    "https://host:8080/path@v2",
		"the user's name again on this host":   "postgres://postgres:postgres@localhost/db",
		"the user's name again on 127.0.0.1":   "postgres://postgres:postgres@127.0.0.1/db",
		"the user's name again on a real host": "postgres://postgres:‸postgres‸@db.test/db",
		"the word pwd":                         "postgres://u:pwd@db.test/db",
		"an IPv6 host":                         "http://[::1]:80/{a12}@x",
		"a URL that ends at the colon":         "redis://u:",
		"a password of two bytes":              "redis://u:ab@h",
		"a host without a user":                "https://example.test/",
		"a user in a sentence":                 "ftp://bob and alice",
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, dsn(), text) })
	}
}

func TestHeadersLoseTheirCredentialsOnly(t *testing.T) {
	for name, c := range map[string]struct {
		rule rule.Rule
		text string
	}{
		"a bearer token":                      {bearer(), "Bearer ‸{a30}‸ now"},
		"a bearer token before a full stop":   {bearer(), "sent Bearer ‸{a30}‸."},
		"a bearer token with inner padding":   {bearer(), "Bearer ‸{a20}==.{a20}‸ x"},
		"a bearer token with an escape":       {bearer(), "Bearer ‸{a20}%3D{a9}‸ x"},
		"a bearer token before a blank's %20": {bearer(), "Bearer ‸{a30}‸%20x"},
		"scrambled letters without digits":    {bearer(), "Bearer ‸qWzRtKpLmXvBnHjG‸"},
		"a name of a scheme":                  {bearer(), "Bearer token-authentication-scheme"},
		"the word inside another":             {bearer(), "forbearer {a30}"},
		"a short word":                        {bearer(), "Bearer abc123"},
		"base64 of a user and a password":     {basicAuth(), "Basic ‸dXNlcjpw{b20}‸"},
		"base64 of something else":            {basicAuth(), "Basic AAAAAAAAAAAA"},
		"base64 without a colon":              {basicAuth(), "Basic dXNlcnVzZXJ1c2Vy"},
		"an unknown scheme":                   {authHeader(), "Authorization: Token ‸{k24}1‸"},
		"the scheme of AWS without a digest":  {authHeader(), "Authorization: AWS4 ‸{a20}‸"},
		"no scheme":                           {authHeader(), "authorization: ‸{a24}‸"},
		"credentials with an at sign":         {authHeader(), "x-api-key: ‸{a14}@{a9}‸"},
		"a signature of one request":          {authHeader(), "Authorization: AWS4-HMAC-SHA256 Credential={a20}"},
		"a header without a value":            {authHeader(), "Authorization header is missing"},
		"a call":                              {authHeader(), "Authorization: getToken12345(x)"},
		"the first credential of a cookie":    {cookie(), "Cookie: theme=dark; sid=‸{a24}; b={a12}‸"},
		"a cookie before its attributes":      {cookie(), "Set-Cookie: sid=‸{a24}‸; Path=/; HttpOnly"},
		"settings only":                       {cookie(), "Cookie: theme=dark; lang=en"},
		"no name before the equals sign":      {cookie(), "Cookie: ={a24}"},
		"no colon":                            {cookie(), "cookie sid={a24}"},
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, c.rule, c.text) })
	}
}

func TestCommandsLoseTheirSecretOnly(t *testing.T) {
	for name, c := range map[string]struct {
		rule rule.Rule
		text string
	}{
		"a flag and a space":                 {commandLine(), "sshpass -p ‸{a12}‸ ssh x"},
		"a flag and an equals sign":          {commandLine(), "docker login -p=‸{a16}‸ x"},
		"a flag with the value attached":     {commandLine(), "mysql -u root -p‸{a12}‸ app"},
		"a quoted word behind a flag":        {commandLine(), "sshpass -p '‸plainword‸' ssh x"},
		"a bare word before a login":         {commandLine(), "sshpass -p ‸plainword‸ ssh x"},
		"a bare word behind a flag":          {commandLine(), "docker login -p plainword x"},
		"a password piped into a program":    {piped(), "echo ‸plainword‸ | sudo -S ls"},
		"a password in a format":             {piped(), "printf '%s\\n' ‸{a12}‸ | sudo -S ls"},
		"a user's password for chpasswd":     {piped(), "echo 'bob:‸{a12}‸' | sudo chpasswd"},
		"a password in a here-string":        {piped(), "sudo -S ls <<<'‸{a12}‸'"},
		"a password in a here-document":      {piped(), "sudo -kS ls <<'E'\n‸{a12}‸\nE"},
		"a text piped into another program":  {piped(), "echo {a12} | sudo tee x"},
		"a line of a password file":          {pgpass(), "db.test:5432:*:bob:‸{a12}‸"},
		"a line of any port in such a file":  {pgpass(), "cat ~/.pgpass\ndb:7000:app:bob:‸wordy‸\n"},
		"ports of a container":               {pgpass(), "5432:5432:tcp:x:{a12}"},
		"a signature with escapes":           {signedAddress(), "?sv=1&sig=‸{a40}%2B{a2}%3D‸%20end"},
		"a signature of another parameter":   {signedAddress(), "?design={a40}"},
		"another command's flag":             {commandLine(), "sshpass ssh x\nls -p {a12}"},
		"a longer flag":                      {commandLine(), "docker login -pq{a12}"},
		"a flag where a token should stand":  {commandLine(), "vault login -method=oidc"},
		"a quoted token without a flag":      {commandLine(), "identified by '‸{a10}‸';"},
		"a short bare word without a flag":   {commandLine(), "vault login abc123"},
		"a text that ends behind the name":   {commandLine(), "cargo login "},
		"a user and a password for curl":     {curlUser(), "curl -u ‸bob:{a12}‸ https://x.test"},
		"a quoted user for curl":             {curlUser(), `curl -u "‸bob":"{a12}‸" https://x.test`},
		"an address as the user for curl":    {curlUser(), "curl -u ‸bob@x.test:{a12}‸ https://x.test"},
		"a key as the user for curl":         {curlUser(), "curl -u ‸{a16}‸: https://x.test"},
		"a user alone":                       {curlUser(), "curl -u bob https://x.test"},
		"a user and a group in numbers":      {curlUser(), "curl x; docker run -u 1000:1000 x"},
		"a colon inside a variable":          {curlUser(), `curl -u "${USER:-{a12}}" https://x.test`},
		"a template as the user":             {curlUser(), "curl -u {{user}}:{a12} x"},
		"a marker in place of the user":      {curlUser(), "curl -u [REDACTED:dsn-password]:{a12} x"},
		"a login without curl":               {curlUser(), "wget -u bob:{a12} x"},
		"a short password":                   {curlUser(), "curl -u bob:abc x"},
		"a password named in Spanish":        {foreignPassword(), "la contraseña es ‸{a10}9‸"},
		"a password named in Chinese":        {foreignPassword(), "密码是‸{a10}9‸"},
		"a sentence about a password":        {foreignPassword(), "mot de passe oublié 2 fois"},
		"a wallet's key":                     {seedHex(), "seed: ‸{h64}‸"},
		"a digest far behind the word seed":  {seedHex(), "seed of the corpus that ran last: {h64}"},
		"more than a wallet's key":           {seedHex(), "seed: {h65}"},
		"a digest on the line behind a seed": {seedHex(), "seed\n{h64}"},
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, c.rule, c.text) })
	}
}

func TestAKeyBesideAVendorsNameIsMatched(t *testing.T) {
	adafruit, okta := Vendor("adafruit", "adafruit", "{k32}"), Vendor("okta", "okta", "00{s40}")
	for name, c := range map[string]struct {
		rule rule.Rule
		text string
	}{
		"behind an equals sign":                {adafruit, "adafruit_x = ‸{a32}‸"},
		"behind an arrow":                      {adafruit, "adafruit key → ‸{a32}‸"},
		"behind a dash":                        {adafruit, "adafruit — ‸{a32}‸"},
		"behind other text outside ASCII":      {adafruit, "adafruit … {a32}"},
		"behind an escaped line end":           {adafruit, `adafruit:\n  ‸{a32}‸`},
		"behind a lone backslash":              {adafruit, `adafruit=\ ‸{a32}‸`},
		"in a cell of a table":                 {adafruit, "| adafruit | ‸{a32}‸ |"},
		"in a tag":                             {adafruit, "<adafruit>‸{a32}‸</adafruit>"},
		"as the next argument":                 {adafruit, `f("adafruit", "‸{a32}‸")`},
		"in a call":                            {adafruit, `adafruit("‸{a32}‸")`},
		"behind words that speak of keys":      {adafruit, "adafruit api key is ‸{a32}‸"},
		"behind a key word before the name":    {adafruit, "the key of adafruit is ‸{a32}‸"},
		"in a query":                           {adafruit, "https://adafruit.test/?‸{a32}‸"},
		"six lines on":                         {adafruit, "adafruit =\n\n\n\n\n\n{a32}"},
		"in the next sentence":                 {adafruit, "adafruit works. {a32}"},
		"behind another sign":                  {adafruit, "adafruit; {a32}"},
		"behind eight words":                   {adafruit, "adafruit is one of the best of all here {a32}"},
		"behind a word for other things":       {adafruit, "adafruit commit = {a32}"},
		"behind another value":                 {adafruit, "adafruit: {a30}-{d9}.{a8} {a32}"},
		"behind a word after the sign":         {adafruit, "adafruit = deployed {a32}"},
		"as a word":                            {Vendor("x", "adafruit", "{a12}"), "adafruit key = abandonments"},
		"as hex in one case without a sign":    {adafruit, "adafruit as {h32}"},
		"as hex in both cases behind a name":   {Vendor("x", "adafruit", "{x40}"), "adafruit thing: ‸aB{x38}‸"},
		"behind a piece of a camel-case word":  {okta, "rookTable = 00{s40}"},
		"behind a name inside a camel case":    {okta, "myOkta = ‸00{s40}‸"},
		"behind a name that another completes": {Vendor("x", "sumo", "{a32}"), "sumObject = {a32}"},
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, c.rule, c.text) })
	}
}

func TestAVendorsFormatThatCannotBeReadPanics(t *testing.T) {
	assert.Panics(t, func() { Vendor("x", "adafruit", "{a32") })
}

func TestPrivateKeysAreMatchedWhole(t *testing.T) {
	for name, c := range map[string]struct {
		rule rule.Rule
		text string
	}{
		"a key up to its END": {
			privateKey(),
			"‸-----BEGIN PRIVATE {}KEY-----\n{b64}\n" +
				"{b64}\n-----END PRIVATE {}KEY-----‸\nx",
		},
		"a key without its END": {privateKey(), "‸-----BEGIN PRIVATE {}KEY-----\n{b64}\n{b64}‸\n"},
		"anything long between two labels": {
			privateKey(),
			"‸-----BEGIN PRIVATE {}KEY-----" + strings.Repeat("?", 70) + "END PRIVATE {}KEY-----‸ x",
		},
		"anything short between two labels": {
			privateKey(),
			"-----BEGIN PRIVATE {}KEY----- ? -----END PRIVATE {}KEY-----",
		},
		"other dashes behind a label": {
			privateKey(),
			"-----BEGIN PRIVATE {}KEY-----" + strings.Repeat("?", 70) + "----- x",
		},
		"a certificate": {privateKey(), "-----BEGIN CERTIFICATE-----\n{b64}\n"},
		"a public key": {
			privateKey(),
			"-----BEGIN PUBLIC {}KEY-----\n{b64}\n{b64}\n-----END PUBLIC {}KEY-----",
		},
		"a key of a form, with plus signs": {
			privateKey(),
			"‸-----BEGIN+PRIVATE+{}KEY-----\n{b64}\n{b64}\n-----END+PRIVATE+{}KEY-----‸\nx",
		},
		"a short last line without an END": {
			privateKey(),
			"‸-----BEGIN PRIVATE {}KEY-----\n{b64}\n{b64}\nab12=‸\nand prose",
		},
		"a key whose label lost its dashes": {
			looseKey(),
			"‸BEGIN RSA PRIVATE {}KEY BLOCK\n{b64}\n" +
				"{b64} END RSA PRIVATE {}KEY‸\nx",
		},
		"a label like any other":           {looseKey(), "-----BEGIN PRIVATE {}KEY-----\n{b64}"},
		"a label without the word":         {looseKey(), "begin rsa private matters\n{b64}"},
		"a key without its beginning":      {headlessKey(), "‸{b64}\n{b64}\n-----END PRIVATE {}KEY-----‸"},
		"an END of something else":         {headlessKey(), "{b64}\n-----END RSA PRIVATE MATTER-----"},
		"an END whose label goes on":       {headlessKey(), "{b64}\n-----END PRIVATE {}KEY\n"},
		"the private lines of a PuTTY key": {puttyKey(), "‸Private-Lines: 2\n{b64}\n{b64}‸\n"},
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, c.rule, c.text) })
	}
}

func TestBlocksAreMatchedWhole(t *testing.T) {
	header := "eyJ" + base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`))[3:]
	for name, c := range map[string]struct {
		rule rule.Rule
		text string
	}{
		"a part of a JSON Web Key":           {jwkPart(), `{"kty":"EC","d":"‸{k43}‸"}`},
		"a field called d of another object": {jwkPart(), `{"kty":"EC"}, {"d":"{k43}"}`},
		"a number in a field called d":       {jwkPart(), `{"kty":"EC","d": 12}`},
		"a JSON Web Token":                   {jwt(), "‸" + header + ".eyJ{k40}.{k43}‸ x"},
		"a token behind a word of its own":   {jwt(), "token" + "‸" + header + ".eyJ{k40}.{k43}‸ x"},
		"a token behind other base64":        {jwt(), "x-eyJ{k40}.eyJ{k40}.{k43}"},
		"a header that does not decode":      {jwt(), "eyJ{k40}.eyJ{k40}.{k43}"},
		"the data of a Secret": {
			kubernetesSecret(), "kind: Secret\ndata:\n" +
				"  a: ‸{b20}\n  b: \"{b20}‸\"\n",
		},
		"a Secret of another document":        {kubernetesSecret(), "kind: Secret\n---\ndata:\n  a: {b20}\n"},
		"the metadata of a Secret":            {kubernetesSecret(), "kind: Secret\nmetadata:\n  a: {b20}\n"},
		"a Secret without indented data":      {kubernetesSecret(), "kind: Secret\ndata:\na: {b20}\n"},
		"the next document is not the Secret": {kubernetesSecret(), "data:\n  a: {b20}\n---\nkind: Secret\n"},
	} {
		t.Run(name, func(t *testing.T) { assertMatches(t, c.rule, c.text) })
	}
}

func TestAPartOfAWebKeyIsOpenUntilItsTypeIsKnown(t *testing.T) {
	r := jwkPart()
	text := ruletest.Fill(`{"d":"{k43}","kty":"OKP"}`, 5)
	assert.True(t, r.Open(text[:30], 1, 5), "the value goes on")
	assert.True(t, r.Open(text[:52], 1, 5), "the type may follow")
	assert.False(t, r.Open(text, 1, 5), "the object is closed")
	assert.False(t, r.Open(`{"d": 12, "kty"`, 1, 5), "a number is no part of a key")
}
