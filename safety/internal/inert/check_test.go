package inert

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety/internal/lex"
)

// hiding returns a text whose parts between « and » are hidden.
func hiding(marked string) Text {
	var t Text
	for {
		before, rest, found := strings.Cut(marked, "«")
		t.Raw += before
		if !found {
			return t
		}
		hidden, after, _ := strings.Cut(rest, "»")
		t.Hidden = append(t.Hidden, lex.Span{From: len(t.Raw), To: len(t.Raw) + len(hidden)})
		t.Raw += hidden
		marked = after
	}
}

// hiddenParts are calls in which the parts between « and » are hidden, and why they cannot be.
var hiddenParts = []struct {
	name, text string
	want       error
}{
	{"nothing", "eval `x`; sh | sh", nil},
	{"a header", `curl -H "Authorization: Bearer «k3y»" https://x.test`, nil},
	{"an assignment", "A=«k3y» B='«k3y»' true", nil},
	{"an option's value", "mysql --password «k3y» -p«k3y»", nil},
	{"an argument", "vault login «k3y»", nil},
	{"a text in quotes", "ALTER USER a PASSWORD '«k3y»';", nil},
	{"a user's password", "psql postgres://a:«k3y»@db/x", nil},
	{"a user", "git clone https://«k3y»@x.test/a", nil},
	{"a part of a path", "curl https://x.test/bot«k3y:z»/send", nil},
	{"a key of base64", "A=«ab/cd+ef==»", nil},
	{"a tag's text", "<password>«k3y»</password>", nil},
	{"behind a program that another one starts", "sudo mysql --password=«k3y»", nil},
	{"a named option of what starts others", "docker login -u a -p «k3y» r", nil},
	{"in front of what starts others", "echo «k3y» | docker login --password-stdin", nil},
	{"in quotes that are run", `bash -c "curl -H 'Authorization: Bearer «k3y»'"`, nil},
	{"a document that is written", "cat > f <<E\nA=«k3y»\nE", nil},
	{"a text passed on", "gh auth login --with-token <<< «k3y»", nil},
	{"what a filter reads", "curl -H 'A: «k3y»' | python3 -c 'print(1)'", nil},
	{"a call's argument", `login("bob", "«k3y»")`, nil},
	{"an entry of a map", `{"a": "x" => "«k3y»"}`, nil},
	{"output that is put together", "A=«k3y» f 2>&1 | jq .", nil},
	{"a line that goes on", "curl \\\n -H 'A: «k3y»' \\\n x", nil},

	{"a sign of a shell", "A=«k3y$(x)»", ErrSigns},
	{"a quote", "A='«k'y»'", ErrSigns},
	{"a blank", "A='«k y»'", ErrSigns},
	{"an escape of an address", "A=«k%40y»", ErrSigns},
	{"an option", "f «-k3y»", ErrSigns},
	{"a comment of SQL", "A=«k3--y»", ErrSigns},
	{"the folder above", "A=«k/../y»", ErrSigns},
	{"an address", "A=«k://y»", ErrSigns},
	{"an equals sign inside", "A=«k=y»", ErrSigns},
	{"nothing but signs", "A=«==»", ErrSigns},
	{"a colon at the end", "A=«k:»", ErrSigns},
	{"something long", "A=«" + strings.Repeat("k3y", 2000) + "»", ErrLong},
	{"a text in base64", "A=«" + encoded("touch xyz") + "»", ErrEncoded},
	{"a text in base64 twice", "A=«" + encoded(encoded("touch xyz")) + "»", ErrEncoded},
	{"a text in base32", "A=«" + base32.StdEncoding.EncodeToString([]byte("touch xyz")) + "»", ErrEncoded},
	{"a text in hex", "A=«" + hex.EncodeToString([]byte("touch xyz")) + "»", ErrEncoded},
	{"JSON with a command", "A=«" + encoded("{\"a\":\"`x`\"}") + "»", ErrEncoded},
	{"JSON", "A=«" + encoded(`{"alg":"HS256","typ":"JWT"}`) + "»", nil},
	{"a user and a password in base64", "A=«" + encoded("bob:k3yk3y") + "»", nil},
	{"random bytes", "A=«" + encoded("\x00\x01\xfe\xffabcdefg") + "»", nil},
	{"more layers than anybody needs", "A=«" + encoded(encoded(encoded("bobbob"))) + "»", ErrEncoded},

	{"a variable's name", "true $«k3y»", ErrBeside},
	{"a function's name", `a=«k3y»("x")`, ErrBeside},
	{"the name of a variable that is set", "A=«k3y»=x", ErrBeside},
	{"a scheme", "A=«k3y»://x", ErrBeside},
	{"an escape", `A=x\«k3y»`, ErrBeside},
	{"a file that is written", "true > «k3y»", ErrBeside},
	{"an option's name", "true --«k3y»", ErrBeside},
	{"a redirection beside a tag", "<a b>«k3y»</c>", ErrBeside},
	{"a host", "curl https://«k3y»/a", ErrAddress},
	{"a host behind a user", "curl https://a:«k3y»", ErrAddress},
	{"a path in front of a host", "curl https://a:«k/y»@x.test", ErrAddress},

	{"a program", "«k3y» x", ErrProgram},
	{"a program's file", "./«k3y» x", ErrProgram},
	{"a program behind an assignment", "A=b «k3y»", ErrProgram},
	{"a program behind an assignment of two words", `A="b c" «k3y»`, ErrProgram},
	{"a program behind an assignment with a default", `A=${b:-c d} «k3y»`, ErrProgram},
	{"a program behind a redirection", `>"b c" «k3y»`, ErrProgram},
	{"a program behind the number of a file", `2>&1 «k3y»`, ErrProgram},
	{"a program behind a semicolon", "true; «k3y»", ErrProgram},
	{"a program on a line of its own", "true\n«k3y»", ErrProgram},
	{"a program in brackets", "(«k3y»)", ErrProgram},
	{"a program in braces", "{ «k3y»; }", ErrProgram},
	{"a program behind a word of the grammar", "if «k3y»; then true; fi", ErrProgram},
	{"what another program starts", "sudo -u a «k3y»", ErrProgram},
	{"what env starts", "env -i A=b «k3y»", ErrProgram},
	{"what a shell runs", "sh «k3y»", ErrProgram},
	{"what a shell runs as a text", `sh -c "«k3y»"`, ErrProgram},
	{"what runs on another host", "ssh host «k3y»", ErrProgram},
	{"an option of an interpreter", "sh -p «k3y»", ErrProgram},
	{"an option that runs its argument", "psql -c «k3y»", ErrProgram},
	{"a variable that names a program", "EDITOR=«k3y» git commit", ErrProgram},

	{"eval", "A=«k3y»; eval $A", ErrRuns},
	{"a variable as a program", "A=«k3y»; $A", ErrRuns},
	{"output as a program", "A=«k3y»; `echo $A`", ErrRuns},
	{"output as a program in the other form", "A=«k3y»; $(echo $A)", ErrRuns},
	{"a pipe into a shell", "echo «k3y» | sudo sh", ErrRuns},
	{"a pipe into a program of an interpreter", "echo A=«k3y» | python3 -c 'exec(input())'", ErrRuns},
	{"a pipe into awk that calls", "echo A=«k3y» | awk '{system($0)}'", ErrRuns},
	{"a document for a shell", "A=«k3y» sh <<E\ntrue\nE", ErrRuns},
	{"a text for a shell", "A=«k3y»; bash <<< $A", ErrRuns},
	{"decoding", "A=«k3y»; echo $A | base64 -d", ErrRuns},
	{"decoding in Python", "a = '«k3y»'; b64decode(a)", ErrRuns},
	{"a file that is written and run", "echo «k3y» > f; sh f", ErrRuns},
	{"a file that is written, marked and run", "echo «k3y» > f; chmod +x ./f; ./f", ErrRuns},
	{"a file that is copied and run", "cp «k3y» f; ./f", ErrRuns},
	{"a file that is downloaded and run", "curl -u a:«k3y» -o f x; . ./f", ErrRuns},
	{"a call with a variable", "a = '«k3y»'; os.system(a)", ErrRuns},
	{"the output of a process as a file", "A=«k3y»; . <(echo $A)", ErrRuns},
}

// encoded returns a text in base64.
func encoded(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

func TestWhatIsHiddenIsData(t *testing.T) {
	for _, tt := range hiddenParts {
		t.Run(tt.name, func(t *testing.T) {
			assert.ErrorIs(t, Check([]Text{hiding(tt.text)}), tt.want)
		})
	}
}

func TestTheWordsOfAListAreOneCommand(t *testing.T) {
	hidden := []lex.Span{{To: 3}}
	assert.NoError(t, Check([]Text{{Raw: "k3y", Hidden: hidden, Before: []string{"curl", "-u"}}}))
	assert.ErrorIs(t, Check([]Text{{Raw: "k3y", Hidden: hidden, Before: []string{"sudo", "-u", "a"}}}), ErrProgram)
	assert.ErrorIs(t, Check([]Text{{Raw: "k3y", Hidden: hidden}}), ErrProgram)
	assert.NoError(t, Check([]Text{{Raw: "k3y", Hidden: hidden, Named: true}}), "its name says that it is a value")
	assert.ErrorIs(t, Check([]Text{{Raw: "k$y", Hidden: hidden, Named: true}}), ErrSigns)
	assert.ErrorIs(t, Check([]Text{{Raw: "k3y", Hidden: hidden, Named: true}, {Raw: "eval $A"}}), ErrRuns,
		"another text of the call may run it")
}
