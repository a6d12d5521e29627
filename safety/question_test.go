package safety_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

var hiddenList = flag.Bool("hidden", false, "list what each question of the tables shows")

// token and password are secrets of the tests: one that is known by its form, and one that
// is known by its name only.
func token() string    { return "gh" + "p_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5" }
func password() string { return "x7Kq9" + "Lm2Vb4Zt" }

// askLayer is shared, since building a layer compiles all rules.
var askLayer = sync.OnceValue(func() *safety.Layer { return safety.NewLayer() })

// fillIn puts the secrets and the code of a test into a command. The code is for a shell,
// and without blanks where the command has {word}.
func fillIn(command, code string) string {
	return strings.NewReplacer("{token}", token(), "{password}", password(), "{code}", code).Replace(command)
}

// ask returns the question about a command, as a tool's only argument.
func ask(t *testing.T, command string) (safety.Question, string, error) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	q, err := askLayer().Question(arguments)
	var shown struct{ Command string }
	if err == nil {
		require.NoError(t, json.Unmarshal(q.Shown.Raw(), &shown))
	}
	return q, shown.Command, err
}

// commandTemplates are commands in which {code} stands in a place that a shell runs, with a
// secret in the same word, string or line.
var commandTemplates = []string{
	`export GITHUB_TOKEN="{code}"; true`,
	`export GITHUB_TOKEN="{token}{code}"; true`,
	`export GITHUB_TOKEN={code}; true`,
	`GITHUB_TOKEN={token}{code} true`,
	`API_KEY="{password}{code}" true`,
	`PASSWORD='{password}'{code} true`,
	`PASSWORD={password}"{code}" true`,
	`true --password "{password}{code}"`,
	`true --password={password}{code}`,
	`true --token "{code}"`,
	`true -p{password}{code}`,
	`true -H "Authorization: Bearer {token}{code}"`,
	`true -H "Authorization: Bearer {code}"`,
	`true -H "X-Api-Key: {password}{code}" https://x.test`,
	`true -u "bob:{password}{code}" https://x.test`,
	`true "https://bob:{password}{code}@x.test/"`,
	`true "https://x.test/?api_key={password}{code}"`,
	`true "postgres://app:{password}{code}@db.internal/app"`,
	`echo "password: {password}{code}"`,
	`echo "the password is {password}{code}"`,
	`echo {token}{code}`,
	`echo "DB_PASSWORD={password}{code}" > env`,
	`true -d '{"password":"{password}"}'{code}`,
	`true -d "{\"password\":\"{password}{code}\"}"`,
}

// codes are ways to run the stub with a mark in a shell; each is put into each command.
var codes = []string{
	"`stub MARK`", "$(stub MARK)", "`stub${IFS}MARK`", "$(stub\tMARK)",
	"\"; stub MARK; \"", "; stub MARK; ", "\nstub MARK\n",
	"|stub MARK|cat ", "&&stub MARK&&true ", "&stub MARK& ",
	"${x:-$(stub MARK)}", "'; stub MARK; '",
	"\" && stub MARK && \"", "$(\\stub MARK)", "$((`stub MARK >&2;echo 1`))",
}

// ownTemplates are commands in which the secret itself, or what stands for it, is the code. In
// these {word} is a program of the sandbox whose name looks like a secret.
var ownTemplates = []string{
	`{word}`, `./{word}`, `token= {word} x`, `password= "{word}" x`, `TOKEN=x {word}`, `true; {word}`, `true && {word}`,
	`TOKEN={word}; $TOKEN x`, `TOKEN={word}; "$TOKEN" x`, `API_KEY={word}; ${API_KEY} x`, `TOKEN={word}; eval $TOKEN`,
	`TOKEN={word}; eval "$TOKEN x"`, `TOKEN={word}; sh -c "$TOKEN x"`, `TOKEN={word}; echo $TOKEN | sh`,
	`TOKEN={word} sh -c '$TOKEN x'`, `echo {word} | sh`, `echo {word} | xargs -I{} sh -c {}`, `echo {word} | xargs env`,
	`echo {word} > f; sh f`, `echo {word} > f; sh ./f`, `echo {word} > f; chmod +x f; ./f`, `echo {word} >f; . ./f`,
	`echo {word} | tee f >/dev/null; sh f`, `sh -c {word}`, `sh -c "{word}"`, `env {word} x`, `env A=b {word} x`,
	`env -i PATH="$PATH" {word}`, `nohup {word} >/dev/null`, `exec {word}`, `command {word}`, `timeout 5 {word}`,
	`time -p {word}`, `A="x y" {word} z`, `A=$(echo x y) {word}`, `A=${B:-a b} {word}`,
	`>"a b" {word}`, `2>/dev/null {word}`,
	`if {word}; then true; fi`, `! {word}`, `for i in 1; do {word}; done`, `while {word}; do break; done`, `( {word} )`,
	`{ {word}; }`, `case x in x) {word};; esac`, "cat <<E\n`{word}`\nE", "sh <<E\n{word}\nE", "sh <<E\n{word} x\nE",
	`$(echo {word}) x`, "`echo {word}` x", `alias t={word}; eval t`, `trap {word} EXIT`, `f() { {word}; }; f`,
	`true \
 && {word}`, `env \
 {word}`, `find . -maxdepth 0 -exec {word} \;`, `TOKEN={word}; trap "$TOKEN" EXIT`, `TOKEN={word}; f() { $TOKEN; }; f`,
	`TOKEN={word}; ls . | while read x; do $TOKEN; break; done`, `set -- {word}; "$@"`, `set -- {word}; $1`,
	`TOKEN={word}; command $TOKEN`, `TOKEN={word}; env $TOKEN`,
	`TOKEN={word}; exec $TOKEN`, `TOKEN={word}; nohup $TOKEN`,
	`TOKEN={word}; timeout 5 "$TOKEN"`,
	`printf '%s\n' {word} | sh`, `printf {word} > f; sh < f`,
	`ln -s "$(command -v {word})" s; ./s`,
	`cp sandbox/{word} s; ./s`, `PATH=. {word}`, `TOKEN={word}; x=$TOKEN; $x`, `read x <<E
{word}
E
$x`, `A="x: Bearer" {word}`, `A=x\: {word}`, `A="b "c: {word}`,
}

// encodings turn a program of a shell into letters and digits, and the command that undoes it.
var encodings = []struct{ encode, run string }{
	{"base64 -w0", "echo {data} | base64 -d | sh"},
	{"base64 -w0", "TOKEN={data}; echo $TOKEN | base64 --decode | sh"},
	{"base64 -w0", `API_KEY={data}; sh -c "$(echo $API_KEY | base64 -d)"`},
	{"base64 -w0", `API_KEY={data}; eval "$(echo $API_KEY | base64 -d)"`},
	{"base64 -w0", `API_KEY={data}; echo $API_KEY | base64 -d > f; sh f`},
	{"base64 -w0 | base64 -w0", "PASSWORD={data}; echo $PASSWORD | base64 -d | base64 -d | sh"},
	{"od -An -tx1 | tr -d ' \\n'", "TOKEN={data}; echo $TOKEN | sed 's/../\\\\x&/g' | xargs -0 printf | sh"},
	{"gzip -n | base64 -w0", "TOKEN={data}; echo $TOKEN | base64 -d | gunzip | sh"},
	{"gzip -n | base64 -w0", "TOKEN={data}; echo $TOKEN | base64 -d | gzip -dc > f; . ./f"},
	{"rev", "TOKEN={data}; echo $TOKEN | rev | sh"},
	{"tr ' ' X", "TOKEN={data}; echo $TOKEN | tr X ' ' | sh"},
	{"tr ' ' X", "TOKEN={data}; `echo $TOKEN | tr X ' '`"},
	{"tr ' ' X", "TOKEN={data}; echo $TOKEN | tr X ' ' > f; sh f"},
	{"tr ' ' X", "IFS=X; TOKEN={data}; $TOKEN"},
	{"tr ' ' X", "TOKEN={data}; echo $TOKEN | sed 's/X/ /g' | sh -s"},
	{"base32 -w0", "TOKEN={data}; echo $TOKEN | base32 -d | sh"},
}

// sandbox is a folder with programs that record that they ran.
type sandbox struct{ dir, word string }

func newSandbox(t *testing.T) *sandbox {
	t.Helper()
	s := &sandbox{t.TempDir(), password()}
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "sandbox"), 0o755))
	for _, name := range []string{"stub", s.word, token()} {
		for _, path := range []string{filepath.Join("sandbox", name), name} {
			program := "#!/bin/sh\necho ran >> '" + filepath.Join(s.dir, "ran") + "'\n"
			require.NoError(t, os.WriteFile(filepath.Join(s.dir, path), []byte(program), 0o755))
		}
	}
	return s
}

// runs reports whether a command runs one of the programs. It runs the command.
func (s *sandbox) runs(t *testing.T, command string) bool {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command+"\nwait\n")
	cmd.Dir = s.dir
	cmd.Env = []string{"PATH=" + filepath.Join(s.dir, "sandbox") + ":/usr/bin:/bin", "HOME=" + s.dir}
	_ = cmd.Run() // most of the commands fail
	_, err := os.Stat(filepath.Join(s.dir, "ran"))
	_ = os.Remove(filepath.Join(s.dir, "ran"))
	_ = os.Remove(filepath.Join(s.dir, "f"))
	return err == nil
}

// What a shell runs is shown in the question, or nobody is asked. The judge is the shell:
// each command runs in a folder whose programs record it, and what was asked runs again with
// other secrets behind the markers.
func TestAQuestionShowsAllThatAShellRuns(t *testing.T) {
	s := newSandbox(t)
	total, ran, refused := 0, 0, 0
	check := func(command string, parts ...string) {
		total++
		if !s.runs(t, command) {
			return
		}
		ran++
		q, shown, err := ask(t, command)
		if *hiddenList {
			t.Logf("%q\n   %d %q %v", command, q.Hidden, shown, err)
		}
		if err != nil {
			refused++
			return
		}
		for _, part := range parts {
			assert.Contains(t, shown, part, "of %q", command)
		}
		assert.True(t, s.runs(t, otherwise(shown)), "of %q shown as %q", command, shown)
	}
	for _, c := range commandTemplates {
		for _, code := range codes {
			code = strings.ReplaceAll(code, "MARK", "x1y2")
			check(fillIn(c, code), strings.Trim(code, " \n"))
		}
	}
	for _, c := range ownTemplates {
		for _, word := range []string{s.word, token()} {
			check(strings.ReplaceAll(c, "{word}", word), word)
		}
	}
	for _, e := range encodings {
		data, err := exec.Command("/bin/sh", "-c", "printf %s 'stub x1y2 zz9q' | "+e.encode).Output()
		require.NoError(t, err)
		check(strings.ReplaceAll(e.run, "{data}", string(data)), string(data))
	}
	t.Logf("%d commands, of which %d ran hidden or open code; %d of those were refused", total, ran, refused)
	assert.Greater(t, ran, 300)
}
