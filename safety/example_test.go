package safety_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/safety"
)

func ExampleLayer_Clean() {
	key := "gh" + "p_" + strings.Repeat("a1B2", 9)
	text, report := safety.NewLayer().Clean("I push with " + key + ", then open <main.go>.")
	fmt.Println(text)
	fmt.Println(report.Verdict, report.Findings)
	// Output:
	// I push with [REDACTED:github-pat], then open <main.go>.
	// redacted [{github-pat 1 high masked}]
}

func ExampleLayer_CleanJSON() {
	value, _ := safety.NewLayer().CleanJSON(json.RawMessage(`{"path": "a<b", "apiKey": "open sesame", ` +
		`"max_tokens": 1e3}`))
	fmt.Printf("%s\n", value.Raw())
	// Output:
	// {"path":"a<b","apiKey":"[REDACTED:secret-field]","max_tokens":1e3}
}

func ExampleStream() {
	stream := safety.NewLayer().Stream()
	for _, delta := range []string{"I look it up. ", "The pass", "word is tr0ub", "4dor, ", "so I ", "change it."} {
		fmt.Printf("%q ", stream.Write(delta))
	}
	rest, report := stream.Close()
	fmt.Printf("%q %v\n", rest, report.Verdict)
	// Output:
	// "" "I look it up. The " "" "" "" "" "password is [REDACTED:named-password], so I change it." redacted
}

func ExampleSecrets() {
	values, _ := safety.ReadSecrets(strings.NewReader("# of the staging database\nxyzzy plugh\n"))
	layer := safety.NewLayer(safety.Secrets(safety.Secret{Value: values[0]}))
	text, report := layer.Clean("the password is xyzzy%20plugh")
	fmt.Println(text, report.Verdict)
	// Output:
	// the password is [REDACTED:known-secret] redacted
}

func ExampleReadPolicy() {
	policy, err := safety.ReadPolicy(strings.NewReader(`{
		"rules": [{"id": "code-name", "action": "block", "phrases": ["project x"]}],
		"tokens": [{"id": "acme-key", "formats": ["acme_{a32}"]}]}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	layer := safety.NewLayer(safety.WithPolicy(policy))
	masked, report := layer.Mask("Project X uses ac" + "me_" + strings.Repeat("a1B2", 8))
	fmt.Println(masked, report.Verdict)
	// Output:
	// [REDACTED:code-name] uses [REDACTED:acme-key] blocked
}

func ExampleLayer_ScanLines() {
	in := strings.NewReader(`{"id":1,"text":"xyzzy"}` + "\n" + `{"id":2}`)
	layer := safety.NewLayer(safety.Secrets(safety.Secret{Value: "xyzzy"}))
	var out strings.Builder
	if err := layer.ScanLines(in, &out); err != nil {
		fmt.Println(err)
	}
	fmt.Print(strings.ReplaceAll(out.String(), `"findings"`, "\n  \"findings\""))
	// Output:
	// {"id":1,"text":"[REDACTED:known-secret]","verdict":"redacted",
	//   "findings":[{"rule":"known-secret","count":1,"severity":"high","effect":"masked"}]}
	// {"id":2,"text":"","verdict":"error",
	//   "findings":[],"error":"a line needs \"text\", \"json\" or \"chunks\""}
}
