package safety

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// § stands for the secret: what is masked must be that and nothing else. A text
// without it must stay as it is.
var finderCases = map[string]struct{ secret, text string }{
	"a cookie's values go from the first that could be a session": {"{a24}; theme=dark", "Cookie: lang=en; sid=§"},
	"a cookie that only sets a theme stays":                       {"", "Cookie: theme=dark; lang=en"},
	"only the value of a cookie being set is masked":              {"{a20}7", "Set-Cookie: id=§; Path=/; Secure"},
	"a cookie in quotes ends at its quote":                        {"{a20}7", `-H "Cookie: id=§" https://x.test`},
	"a word about cookies stays":                                  {"", "the cookie: it holds a=b, and expires"},
	"a bearer token follows a colon":                              {"{k30}4", "bearer: §"},
	"a bearer token ends before the full stop of a sentence":      {"{a30}4", "it sent Bearer §. Then it failed"},
	"a bearer of a short word stays":                              {"", "Bearer abc123"},
	"a standard bearer stays":                                     {"", "the standard bearer carries flags"},
	"basic credentials need a colon in them":                      {"", "Basic QWxhZGRpbiBhbmQgaGlzIGxhbXA="},
	"basic credentials are told by decoding":                      {"YWRtaW46{b12}", "authorization: Basic §"},
	"an authorization header keeps its scheme":                    {"{a24}5", "Authorization: Token §"},
	"an authorization header without a scheme":                    {"{a24}5", "authorization=§"},
	"a header that only demands a value stays":                    {"", "Authorization: required for this endpoint"},
	"a key behind a header of its own":                            {"{a20}3", "X-Api-Key: §\nAccept: */*"},
	"a URL keeps its user and its host":                           {"{a12}", "mysql://root:§@db.test:3306/app"},
	"a password with a slash is whole":                            {"{a4}/{a4}", "amqp://g:§@mq.test"},
	"a port and a path with an at sign stay":                      {"", "http://host.test:8080/@scope/package"},
	"a user alone may be a key":                                   {"{a30}", "https://§@git.test/r.git"},
	"a user alone that is a name stays":                           {"", "https://some-ordinary-user@git.test/r.git"},
	"a seed beside its name blocks":                               {"{h64}", "private key: §"},
	"a digest without such a name stays": {"",
		"sha256: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e3f2a91c8d07be4456a1290cc"},
	"what curl's -u carries, the user with the password": {"app:{a12}1", "curl -u § https://x.test"},
	"a key that is curl's user":                          {"{a16}9", "curl -u §: https://x.test"},
	"a user id without curl stays":                       {"", "docker run -u 1000:1000 image"},
	"a manifest's data from the first value to the last": {"{b20}\n  user: {b16}",
		"kind: Secret\ndata:\n  password: §\n"},
	"another manifest's data stays": {"",
		"kind: ConfigMap\ndata:\n  greeting: aGVsbG8gd29ybGQgaGVsbG8=\n"},
	"a manifest's kind may stand behind its data":    {"{b24}", "data:\n  tls.key: §\nkind: Secret\n"},
	"a vendor's name in front of its key":            {"{a32}", `algolia_api_key = "§"`},
	"a vendor's name in front of a commit stays":     {"", "algolia commit: 3f2a91c8d07be4456a1290cc8de77f0b"},
	"a vendor's name inside another word stays":      {"", "bookTable: 3f2a91c8d07be4456a1290cc8de77f0b"},
	"a database key's two halves":                    {"{x8}:{x8}", "BUNDLE_GEMS__CONTRIBSYS__COM=§"},
	"an app's token of digits, a bar and its secret": {"{d15}|{k27}", "app token § there"},
	"a table with bars stays":                        {"", "|id|name|\n|12345|bob|"},
	"a JWT without a signature":                      {"eyJhbGci{}OiJub25lIn0.eyJ{k40}", "got §. next"},
	"three dotted words stay":                        {"", "eyJust.some.words and eyes.eyed.eyeing"},
	"a certificate stays": {"",
		"-----BEGIN CERTIFICATE-----\nMIIBszCCARwCAQ\n-----END CERTIFICATE-----"},
	"the name and the value of a list's entry":         {"{a14}", `{"name": "DB_PASSWORD", "value": "§"}`},
	"the attribute beside a name":                      {"{a14}", `<add key="password" value="§"/>`},
	"an element named for a password":                  {"{a14}", "<dbPassword>§</dbPassword>"},
	"a password in a query ends at the next parameter": {"{a14}", "q?password=§&page=2"},
	"a password for something is something":            {"{a14}", "password for the staging database is § now"},
	"a line of YAML without a value stays":             {"", "password:\n  length: 12\n"},
	"a variable in the place of a secret stays":        {"", "password=$PASSWORD token=${TOKEN} secret={{ .secret }}"},
	"a path behind a name stays":                       {"", "token: /var/run/secrets/token1"},
	"a digest behind a weak name stays":                {"", "cache key: 3f2a91c8d07be4456a1290cc8de77f0b1a2c3d4e"},
}

func TestEachMatcherMasksTheSecretAndNothingElse(t *testing.T) {
	l := plainLayer()
	for name, c := range finderCases {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			secret := fill(c.secret, 6)
			for _, around := range []string{"§", "Before it: §", "first\n§\nlast"} {
				text := strings.Replace(around, "§", c.text, 1)
				out, report := l.Mask(strings.Replace(text, "§", secret, 1))
				want := text
				if c.secret != "" {
					require.NotEmpty(t, report.Findings)
					want = strings.Replace(text, "§", "[REDACTED:"+report.Findings[0].Rule+"]", 1)
				}
				require.Equal(t, want, out.String())
			}
		})
	}
}
