package openwop

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/safety"
)

// The cases are the examples of RFC 8785 and the rules of ECMAScript that it names.
func TestAValuesCanonicalFormIsThatOfRFC8785(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"spaces go":     {` { "b" : [ 1 , 2 ] , "a" : null } `, `{"a":null,"b":[1,2]}`},
		"literals stay": {`[null,true,false]`, `[null,true,false]`},
		"the RFC's numbers": {
			`[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001]`,
			`[333333333.3333333,1e+30,4.5,0.002,1e-27]`,
		},
		"plain below 1e21": {
			`[1e20,1e21,1e-6,1e-7,-0,-1.5]`, `[100000000000000000000,1e+21,0.000001,1e-7,0,-1.5]`,
		},
		"the largest double": {`[1.7976931348623157e308,5e-324]`, `[1.7976931348623157e+308,5e-324]`},
		"no double":          {`[1e999]`, `[1e999]`},
		"the RFC's string":   {`"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"`, `"€$\u000f\nA'B\"\\\\\"/"`},
		"control characters": {
			`"\u0000\b\t\n\u000b\f\r\u001f\u007f"`, "\"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001f\u007f\"",
		},
		"no escapes for HTML": {`"<&>\u2028"`, "\"<&>\u2028\""},
		"names by UTF-16 units": {
			`{"\ufb33":1,"\ud83d\ude00":2,"1":3,"\r":4,"\u00f6":5,"\u20ac":6}`,
			"{\"\\r\":4,\"1\":3,\"ö\":5,\"€\":6,\"😀\":2,\"\ufb33\":1}",
		},
		"a text": {`"x"`, `"x"`},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, string(canonical(json.RawMessage(c.in))))
		})
	}
}

func TestEqualArgumentsHaveTheSameHash(t *testing.T) {
	layer := safety.NewLayer()
	hash := func(s string) ours {
		j, _ := layer.CleanJSON(json.RawMessage(s))
		return hashOf(j)
	}
	assert.Equal(t, hash(`{"a":1.0,"b":[]}`), hash(`{ "b": [], "a": 1 }`))
	assert.NotEqual(t, hash(`{"a":1}`), hash(`{"a":"1"}`))
	const ofBraces = "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
	assert.EqualValues(t, ofBraces, hash(`{}`))
	assert.EqualValues(t, "74234e98afe7498fb5daf1f36ac2d78acc339464f950703b8c019892f982b90b", hash(`null`))
}
