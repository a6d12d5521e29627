package safety_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"candor/safety"
	"candor/safety/render"
)

func ExampleLayer_Clean() {
	key := "gh" + "p_" + strings.Repeat("a1B2", 9)
	text, report := safety.NewLayer().Clean("I push with " + key + ", then open <main.go>.")
	fmt.Println(text)
	fmt.Println(render.HTML(text))
	fmt.Println(report.Verdict, report.Findings)
	// Output:
	// I push with [REDACTED:github-pat], then open <main.go>.
	// I push with [REDACTED:github-pat], then open &lt;main.go&gt;.
	// redacted [{github-pat 1}]
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
	for _, delta := range []string{"The pass", "word is tr0ub", "4dor, ", "so I ", "change it."} {
		fmt.Printf("%q ", stream.Write(delta))
	}
	rest, report := stream.Close()
	fmt.Printf("%q %v\n", rest, report.Findings)
	// Output:
	// "The " "" "" "" "" "password is [REDACTED:named-password], so I change it." [{named-password 1}]
}
