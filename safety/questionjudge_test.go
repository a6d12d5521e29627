package safety_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var marker = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)

// otherwise returns what was shown with another secret in place of each marker.
func otherwise(shown string) string { return marker.ReplaceAllString(shown, "Q8w2E5r9Tz") }

// pythonJudge reads programs and statements, and prints what each of them does: the tree of a
// program without its texts, and what a database would read and write.
const pythonJudge = `
import ast, json, sqlite3, sys
def tree(source):
    try: root = ast.parse(source)
    except SyntaxError: return "broken"
    for node in ast.walk(root):
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)): node.value = ""
    return ast.dump(root)
def acts(script):
    db = sqlite3.connect(":memory:")
    db.executescript("create table users(name, password, note); create table audit(a)")
    db.executescript("insert into users values('a','b','c')")
    log = []
    db.set_authorizer(lambda *a: (log.append(a[:3]), sqlite3.SQLITE_OK)[1])
    try: db.executescript(script)
    except (sqlite3.Error, sqlite3.Warning): log.append("broken")
    return log
for line in sys.stdin:
    case = json.loads(line)
    print(json.dumps((tree if case["kind"] == "python" else acts)(case["text"])))
`

// judge returns what a program in Python, or a statement in SQL, does.
func judge(t *testing.T, kind string, texts []string) []string {
	t.Helper()
	var in bytes.Buffer
	enc := json.NewEncoder(&in)
	for _, text := range texts {
		require.NoError(t, enc.Encode(map[string]string{"kind": kind, "text": text}))
	}
	cmd := exec.Command("python3", "-c", pythonJudge)
	cmd.Stdin = &in
	out, err := cmd.Output()
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	require.Len(t, lines, len(texts))
	return lines
}

// programs have a secret and code in one, for Python and for SQL: {code} is each of the codes.
var programs = map[string]struct{ templates, codes []string }{
	"python": {
		[]string{
			`token = "{token}"{code}`, `password = '{password}'{code}`, `api_key = {code}`, `password={code}`,
			`login("bob", password="{password}"{code})`, `headers = {"Authorization": "Bearer {token}"{code}}`,
			`requests.get("https://bob:{password}@x.test/" {code})`, `os.environ["API_TOKEN"] = "{token}"{code}`,
			`secret = f"{password}{{code}}"`, `token = ("{token}"{code})`, `password = """{password}"""{code}`,
			`config = {"password": {code}, "user": "bob"}`, `db.connect(password={code}, user="bob")`,
			`token = "{token}" # note{code}`,
		},
		[]string{
			` + os.popen("touch x").read()`, `; os.system("touch x")`, "\nos.system('touch x')", ` + evil("x")`,
			` if evil() else ""`, ` or __import__("os").system("x")`, `.join(run("x"))`, `[evil(0):]`,
			` % evil()`, `, *evil()`,
		},
	},
	"sql": {
		[]string{
			`UPDATE users SET password = '{password}'{code}`, `UPDATE users SET password='{password}{code}`,
			`INSERT INTO users VALUES ('bob', '{token}', ''{code})`,
			`SELECT * FROM users WHERE password='{password}{code}`,
			`SELECT * FROM users WHERE name='bob' AND password = '{password}'{code}`,
			`UPDATE users SET password = ({code}) WHERE name = 'bob'`, `-- password: {password}{code}`,
			`INSERT INTO users(name, password, note) VALUES ('bob', '{password}'{code}, 'x')`,
		},
		[]string{
			`'; DROP TABLE audit; --`, ` OR 1=1 --`, `; DELETE FROM audit; --`, "\n; DROP TABLE audit; --",
			` || (SELECT note FROM users)`, `' || (SELECT a FROM audit) || '`, `/**/; DROP TABLE audit --`,
			`'; INSERT INTO audit SELECT password FROM users; --`,
		},
	},
}

// What Python and a database do is the same whatever stands behind the markers, or nobody is
// asked. The judges are Python's parser and SQLite.
func TestAQuestionShowsAllThatAProgramDoes(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("the judge needs python3")
	}
	for kind, p := range programs {
		var raw, again []string
		total := 0
		for _, template := range p.templates {
			for _, code := range p.codes {
				total++
				text := fillIn(template, code)
				if _, shown, err := ask(t, text); err == nil {
					raw, again = append(raw, text), append(again, otherwise(shown))
				}
			}
		}
		does, would := judge(t, kind, raw), judge(t, kind, again)
		for i := range raw {
			assert.Equal(t, does[i], would[i], "of %q shown as %q", raw[i], again[i])
		}
		t.Logf("%s: %d programs, %d shown", kind, total, len(raw))
		assert.NotEmpty(t, raw)
		assert.GreaterOrEqual(t, total, 60)
	}
}

// The parser of addresses sees the same host and path whatever stands behind the markers.
func TestAQuestionShowsWhereAnAddressLeads(t *testing.T) {
	total, asked := 0, 0
	for _, template := range []string{
		"https://{secret}", "https://{secret}@x.test/a", "https://bob:{secret}@x.test/a", "https://{secret}/a",
		"https://x.test/{secret}", "https://x.test/a?token={secret}", "https://x.test/a?api_key={secret}&b=1",
		"https://x.test/a#access_token={secret}", "postgres://app:{secret}@db.internal:5432/app",
		"https://bob@x.test:{secret}/a", "redis://:{secret}@x.test/0", "https://x.test/bot{secret}/send",
	} {
		for _, hidden := range []string{
			token(), password(), token() + "@evil.test", password() + "@evil.test/", "evil.test/" + token(),
			password() + "/../../b", password() + "#", password() + "?b=", "%40evil.test%2f" + password(),
			password() + `\@evil.test`, "//evil.test/" + password(), password() + "&b=2", password() + ":80@evil.test",
		} {
			total++
			address := strings.ReplaceAll(template, "{secret}", hidden)
			for _, command := range []string{address, "curl -s " + address, `requests.get("` + address + `")`} {
				_, shown, err := ask(t, command)
				if err != nil {
					continue
				}
				asked++
				shown = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(shown, "curl -s "),
					`requests.get("`), `")`)
				was, err1 := url.Parse(address)
				is, err2 := url.Parse(otherwise(shown))
				if err1 != nil || err2 != nil {
					assert.Equal(t, err1 == nil, err2 == nil, command)
					continue
				}
				assert.Equal(t, was.Scheme+was.Host, is.Scheme+is.Host, "of %q", command)
				slashes := func(u *url.URL) int { return strings.Count(u.EscapedPath(), "/") }
				assert.Equal(t, slashes(was), slashes(is), "of %q", command)
				assert.Equal(t, len(was.Query()), len(is.Query()), "of %q", command)
			}
		}
	}
	t.Logf("%d addresses in 3 texts each, %d shown", total, asked)
	assert.Greater(t, asked, 30)
}

// ordinaryCalls returns the arguments of the calls in testdata/ordinary_calls.txt.
func ordinaryCalls(t *testing.T) []json.RawMessage {
	t.Helper()
	raw, err := os.ReadFile("testdata/ordinary_calls.txt")
	require.NoError(t, err)
	var all []json.RawMessage
	for line := range strings.Lines(string(raw)) {
		line = strings.TrimSuffix(fillIn(line, ""), "\n")
		if strings.HasPrefix(line, "#") {
			continue
		}
		arguments := json.RawMessage(line)
		if !json.Valid(arguments) {
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			require.NoError(t, enc.Encode(map[string]string{"command": strings.ReplaceAll(line, `\n`, "\n")}))
			arguments = b.Bytes()
		}
		all = append(all, arguments)
	}
	return all
}

// Ordinary calls with a secret can be asked about, with the secret masked and counted.
func TestAPersonIsAskedAboutOrdinaryCallsWithASecret(t *testing.T) {
	all, asked := ordinaryCalls(t), 0
	for _, arguments := range all {
		q, err := askLayer().Question(arguments)
		if err != nil {
			t.Logf("refused: %s: %v", arguments, err)
			continue
		}
		asked++
		shown := string(q.Shown.Raw())
		assert.NotContains(t, shown, token())
		assert.NotContains(t, shown, password())
		assert.GreaterOrEqual(t, q.Hidden, min(len(token()), len(password())), "of %s", shown)
		var lengths int
		for _, m := range marker.FindAllString(shown, -1) {
			lengths += len(m)
		}
		var compact bytes.Buffer
		require.NoError(t, json.Compact(&compact, arguments))
		assert.Equal(t, compact.Len(), len(shown)-lengths+q.Hidden, "the count is of what is missing")
	}
	t.Logf("%d of %d ordinary calls can be asked about", asked, len(all))
	assert.GreaterOrEqual(t, asked, len(all)*95/100)
}
