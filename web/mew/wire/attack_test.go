package wire_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/web/mew/wire"
)

func TestAPayloadNamesNothingTwiceAtAnyDepth(t *testing.T) {
	for _, tt := range []struct {
		name, payload string
		refused       bool
	}{
		{"in an object within it", `{"params":{"name":"write","name":"read"}}`, true},
		{"by an escape", `{"params":{"name":"write","n\u0061me":"read"}}`, true},
		{"in an object of an array", `{"a":[1,[{"b":{},"b":2}]]}`, true},
		{"behind an object that has ended", `{"a":{"b":{"c":1},"d":[],"b":2}}`, true},
		{"at the top", `{"a":{"x":1},"a":{"x":1}}`, true},
		{"as texts of an array", `{"a":["b","b",{"b":"b"}],"b":"b"}`, false},
		{"in objects side by side", `{"a":{"x":{}},"b":{"x":{}},"x":[{"x":1},{"x":2}]}`, false},
		{"in each of many levels", strings.Repeat(`{"a":`, 5000) + `{}` + strings.Repeat(`}`, 5000), false},
		{"in other letters", `{"name":1,"Name":2}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := wire.Parse([]byte(`{"kind":"x","payload":`+tt.payload+`}`), wire.Options{})
			assert.Equal(t, tt.refused, err != nil, err)
		})
	}
}
