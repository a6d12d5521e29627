package workflow

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
)

func TestInputsAreBoundedAndCleaned(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	brackets := `{"a":"` + strings.Repeat("[", 40) + `\"{"}`
	long := func(n int) string { return `{"a":"` + strings.Repeat("x ", n) + `"}` }
	value := "hunter2" + "Xq9"
	cases := map[string]struct{ in, out, says string }{
		"nothing":                 {"", "null", ""},
		"null":                    {" null ", "null", ""},
		"an object":               {`{"a":[1]}`, `{"a":[1]}`, ""},
		"a list":                  {`[1]`, "", "have to be a JSON object"},
		"no JSON":                 {`{"a":}`, "", "have to be a JSON object"},
		"two objects":             {`{}{}`, "", "have to be a JSON object"},
		"as deep as it may be":    {nested(maxInputDepth), nested(maxInputDepth), ""},
		"too deep":                {nested(maxInputDepth + 1), "", "more than 32 objects and lists in each other"},
		"brackets in strings":     {brackets, brackets, ""},
		"as long as it may be":    {long(32764), long(32764), ""},
		"too long":                {long(32765), "", "inputs have 65538 bytes; a run takes at most 65536"},
		"a secret under its name": {`{"password":"` + value + `"}`, `{"password":"[REDACTED:secret-field]"}`, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, findings, err := Inputs(safety.NewLayer(), []byte(c.in))
			if c.says != "" {
				require.Error(t, err)
				assert.Contains(t, err.Error(), c.says)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, c.out, string(got.Raw()))
			assert.Equal(t, strings.Contains(c.out, "REDACTED"), len(findings) > 0)
		})
	}
}
