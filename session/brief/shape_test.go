package brief

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

func TestTheShapeOfAResultIsMeasured(t *testing.T) {
	layer := safety.NewLayer()
	for _, tt := range []struct {
		name, result string
		want         *ResultShape
	}{
		{"nothing", `null`, nil},
		{"a text is counted in bytes and characters", `"grün"`, &ResultShape{Bytes: 5, Chars: new(4)}},
		{"a list by its items", `[1,2,3]`, &ResultShape{Bytes: 7, Items: new(3)}},
		{"what a search found, and by what", `{"query":"auth","documents":[{},{}]}`,
			&ResultShape{Bytes: 36, Items: new(2), Of: "documents", Query: "auth"}},
		{"a list that is not one of findings is no count", `{"errors":[0,0,1]}`, &ResultShape{Bytes: 18}},
		{"a command by its exit status and output", `{"exit_code":0,"stdout":"ok\n","stderr":""}`,
			&ResultShape{Bytes: 3, Chars: new(3), ExitCode: new(0)}},
		{"a file by its text", `{"path":"a","text":"four"}`, &ResultShape{Bytes: 4, Chars: new(4)}},
		{"members of other types are no matter", `{"exit_code":"no","documents":7,"text":[]}`, &ResultShape{Bytes: 42}},
		{"a number", `4000000`, &ResultShape{Bytes: 7}},
		{"what is too long is not looked into", `"` + strings.Repeat("ab ", maxRead/2) + `"`,
			&ResultShape{Bytes: maxRead/2*3 + 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cleaned, _ := layer.Limit(1 << 20).CleanJSON([]byte(tt.result))
			assert.Equal(t, tt.want, Shape(cleaned))
		})
	}
}
