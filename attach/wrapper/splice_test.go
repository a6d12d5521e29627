package wrapper

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTakingAMemberOut(t *testing.T) {
	for name, c := range map[string]struct{ in, out, text string }{
		"an empty object stays":               {`{}`, `{}`, ""},
		"one that has no such member stays":   {`{ "a" : 1 }`, `{ "a" : 1 }`, ""},
		"the only one leaves an empty object": {`{"rationale":"x"}`, `{}`, "x"},
		"the first goes with the comma":       {`{"rationale": "x", "b": 2}`, `{"b": 2}`, "x"},
		"the one between":                     {`{"a":1,"rationale":"x","b":2}`, `{"a":1,"b":2}`, "x"},
		"the last takes the comma before":     {`{"a": 1, "rationale": "x"}`, `{"a": 1}`, "x"},
		"white space around stays":            {"{\n\t\"rationale\" : \"x\",\n\t\"b\": 2\n}", "{\n\t\"b\": 2\n}", "x"},
		"a nested one of that name stays": {`{"a":{"rationale":"y"},"rationale":"x"}`,
			`{"a":{"rationale":"y"}}`, "x"},
		"a key in escapes is the same key":    {`{"rat\u0069onale":"x","b":2}`, `{"b":2}`, "x"},
		"a key of another case is not":        {`{"Rationale":"x"}`, `{"Rationale":"x"}`, ""},
		"a value that is no string goes, too": {`{"rationale":{"a":[1,"}"]},"b":2}`, `{"b":2}`, ""},
		"all of several go":                   {`{"rationale":1,"a":2,"rationale":"x"}`, `{"a":2}`, "x"},
		"several at the end":                  {`{"a":2,"rationale":"y","rationale":"x"}`, `{"a":2}`, "x"},
		"several and nothing else":            {`{"rationale":"y", "rationale":"x"}`, `{}`, "x"},
		"quotes and backslashes in the value": {`{"rationale":"\"\\","b":"\\\""}`, `{"b":"\\\""}`, `"\`},
		"long numbers keep their digits":      {`{"n":1.00e+400,"rationale":"x"}`, `{"n":1.00e+400}`, "x"},
	} {
		t.Run(name, func(t *testing.T) {
			edits, text := takeOut([]byte(c.in), 0, Property)
			assert.Equal(t, c.out, string(edited([]byte(c.in), edits)))
			assert.Equal(t, c.text, text)
		})
	}
}

// document writes a random value, whose members are separated as the spaces say.
func document(r *rand.Rand, depth int, comma, colon string) string {
	words := []string{`"a"`, `"\u0041\"\\"`, `""`, `"rationale"`, `"}],:{["`, "\"\xff\"", `"日本"`}
	switch kind := r.IntN(8); {
	case kind < 2 && depth > 0:
		var parts []string
		for range r.IntN(4) {
			parts = append(parts, document(r, depth-1, comma, colon))
		}
		return "[" + strings.Join(parts, comma) + "]"
	case kind < 5 && depth > 0:
		return "{" + strings.Join(memberList(r, depth, comma, colon, words), comma) + "}"
	case kind < 6:
		return []string{"true", "false", "null", "0", "-1.5e-7", "123456789012345678901234567890"}[r.IntN(6)]
	}
	return words[r.IntN(len(words))]
}

// memberList writes members with keys of their own.
func memberList(r *rand.Rand, depth int, comma, colon string, keys []string) (list []string) {
	for _, i := range r.Perm(len(keys))[:r.IntN(len(keys))] {
		list = append(list, keys[i]+colon+document(r, depth-1, comma, colon))
	}
	return list
}

func TestWhatIsPutInComesOutAgainByteForByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		comma, colon := []string{",", ", ", " ,\n\t"}[r.IntN(3)], []string{":", ": ", " :"}[r.IntN(3)]
		keys := []string{`"a"`, `"rationale2"`, `"\u0041\"\\"`, `""`, "\"\xff\""}
		list := memberList(r, 4, comma, colon, keys)
		before := "{" + strings.Join(list, comma) + "}"
		at := r.IntN(len(list) + 1)
		key := []string{`"rationale"`, `"rationa\u006ce"`}[r.IntN(2)]
		with := append(append(append([]string{}, list[:at]...), key+colon+document(r, 3, comma, colon)), list[at:]...)
		in := "{" + strings.Join(with, comma) + "}"
		edits, _ := takeOut([]byte(in), 0, Property)
		require.Equal(t, before, string(edited([]byte(in), edits)), in)
	}
}

// FuzzTakeOut holds that what stays of a document is what a decoder says it has to be.
func FuzzTakeOut(f *testing.F) {
	for _, seed := range []string{`{}`, `{"rationale":1}`, `{"a":{"rationale":2} , "rationale" : [3] }`,
		`{"rationale":"a\"b","rationale":{},"c":1}`, `{"rat\u0069onale":"x"}`, "{\"\xff\":1}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !json.Valid(in) || in[blank(in, 0)] != '{' {
			return
		}
		edits, _ := takeOut(in, 0, Property)
		out := edited(in, edits)
		var was, is map[string]any
		require.NoError(t, json.Unmarshal(in, &was))
		require.NoError(t, json.Unmarshal(out, &is), "%s became %s", in, out)
		delete(was, Property)
		require.Equal(t, was, is)
		for _, e := range edits {
			require.Empty(t, e.with, "nothing is added")
		}
	})
}

// FuzzAddProperty holds that a list stays JSON, and the same JSON but for the property.
func FuzzAddProperty(f *testing.F) {
	for _, seed := range []string{`[{"name":"a","inputSchema":{}}]`,
		`[{"inputSchema":{"properties":{"b":{}}},"name":"a"}]`,
		`[{"name":"a","inputSchema":{"required":["b"],"properties":{}}},{"name":"a"}]`,
		`[{"name":"c","inputSchema":{"properties":{"rationale":{}}}}]`} {
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, required bool) {
		if !json.Valid(in) || in[blank(in, 0)] != '[' {
			return
		}
		var known tools
		out := edited(in, known.listed(in, span{0, len(in)}, true, required))
		var was, is []any
		require.NoError(t, json.Unmarshal(in, &was))
		require.NoError(t, json.Unmarshal(out, &is), "%s became %s", in, out)
		for _, one := range is {
			if one, ok := one.(map[string]any); ok {
				if name, ok := one["name"].(string); ok && known.known[name].ours {
					without(t, one["inputSchema"], required)
				}
			}
		}
		for _, one := range was {
			plain(one)
		}
		for _, one := range is {
			plain(one)
		}
		require.Equal(t, was, is)
	})
}

// without takes from a decoded schema what was added to it.
func without(t *testing.T, schema any, required bool) {
	t.Helper()
	s := schema.(map[string]any)
	properties := s["properties"].(map[string]any)
	require.Contains(t, properties, Property)
	delete(properties, Property)
	if required {
		list := s["required"].([]any)
		require.Equal(t, Property, list[0])
		s["required"] = list[1:]
	}
}

// plain removes empty members that may have been added.
func plain(one any) {
	tool, _ := one.(map[string]any)
	s, _ := tool["inputSchema"].(map[string]any)
	for _, name := range []string{"properties", "required"} {
		if v := fmt.Sprint(s[name]); v == "map[]" || v == "[]" || v == "<nil>" {
			delete(s, name)
		}
	}
}

const asked = `"rationale":` + propertySchema

func TestAddingTheProperty(t *testing.T) {
	brackets := strings.Repeat(`[`, 99)
	for name, c := range map[string]struct{ in, optional, required string }{
		"an empty schema": {`{}`, `{"properties":{` + asked + `}}`,
			`{"properties":{` + asked + `},"required":["rationale"]}`},
		"no properties": {`{"type":"object"}`, `{"properties":{` + asked + `},"type":"object"}`,
			`{"properties":{` + asked + `},"required":["rationale"],"type":"object"}`},
		"it is the first": {`{"properties":{"a":{}},"required":["a"]}`,
			`{"properties":{` + asked + `,"a":{}},"required":["a"]}`,
			`{"properties":{` + asked + `,"a":{}},"required":["rationale","a"]}`},
		"required stands before": {`{ "required":[ ], "properties" : { } }`,
			`{ "required":[ ], "properties" : {` + asked + ` } }`,
			`{ "required":["rationale" ], "properties" : {` + asked + ` } }`},
		"nested properties are others": {`{"$defs":{"properties":{"rationale":1}},"properties":{"a":{"rationale":2}}}`,
			`{"$defs":{"properties":{"rationale":1}},"properties":{` + asked + `,"a":{"rationale":2}}}`,
			`{"required":["rationale"],"$defs":{"properties":{"rationale":1}},"properties":{` + asked +
				`,"a":{"rationale":2}}}`},
		"one of its own": {`{"properties":{"rat\u0069onale":{}}}`, "", ""},
		"another type":   {`{"type":"array"}`, "", ""},
		"several types": {`{"type":["null","object"]}`, `{"properties":{` + asked + `},"type":["null","object"]}`,
			`{"properties":{` + asked + `},"required":["rationale"],"type":["null","object"]}`},
		"types that are others": {`{"type":["array","null"]}`, "", ""},
		"no object":             {`true`, "", ""},
		"a list":                {`[]`, "", ""},
		"properties twice":      {`{"properties":{},"properties":{}}`, "", ""},
		"no properties as an array, and null": {`{"properties":[ ],"required":null}`,
			`{"properties":{` + asked + `},"required":null}`, `{"properties":{` + asked +
				`},"required":["rationale"]}`},
		"properties that are null": {`{"properties":null,"required":[]}`, `{"properties":{` + asked +
			`},"required":[]}`,
			`{"properties":{` + asked + `},"required":["rationale"]}`},
		"properties a list": {`{"properties":["a"]}`, "", ""},
		"required no list":  {`{"required":true}`, `{"properties":{` + asked + `},"required":true}`, ""},
		"nested too deeply": {`{"a":` + strings.Repeat(`[`, 64) + strings.Repeat(`]`, 64) + `}`, "", ""},
		"brackets in a text": {`{"a":"` + brackets + `"}`, `{"properties":{` + asked + `},"a":"` + brackets + `"}`,
			`{"properties":{` + asked + `},"required":["rationale"],"a":"` + brackets + `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			for required, want := range map[bool]string{false: c.optional, true: c.required} {
				if want == "" {
					want = c.in
				}
				edits, _ := addProperty([]byte(c.in), span{0, len(c.in)}, required)
				assert.Equal(t, want, string(edited([]byte(c.in), edits)))
			}
		})
	}
}
