package otlp_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/attach/otlp"
)

// TestNumbersOfJSONAreReadInAllTheirSpellings holds that a number is read in every form that protobuf's mapping to JSON
// has for it: as a string, with an exponent or a fraction of zeros, and floats that JSON has no number for.
func TestNumbersOfJSONAreReadInAllTheirSpellings(t *testing.T) {
	for value, want := range map[string]any{
		`{"doubleValue":1.5}`: 1.5, `{"doubleValue":"1.5"}`: 1.5, `{"doubleValue":"-2e3"}`: -2000.0,
		`{"doubleValue":"Infinity"}`: math.Inf(1), `{"doubleValue":"-Infinity"}`: math.Inf(-1),
		`{"doubleValue":3}`: 3.0, `{"doubleValue":null}`: nil,
		`{"intValue":1e3}`: int64(1000), `{"intValue":"1E+3"}`: int64(1000), `{"intValue":-7.0}`: int64(-7),
		`{"intValue":1.5e1}`: int64(15), `{"intValue":100e-2}`: int64(1), `{"intValue":0e-99}`: int64(0),
		`{"intValue":9.223372036854775807e18}`: int64(math.MaxInt64), `{"intValue":null}`: nil,
	} {
		spans, err := otlp.Traces([]byte(inSpan(`"attributes":[{"key":"k","value":`+value+`}]`)), otlp.JSON)
		require.NoError(t, err, value)
		assert.Equal(t, want, spans[0].Attrs["k"], value)
	}
	spans, err := otlp.Traces([]byte(inSpan(`"endTimeUnixNano":1.795434560e+18,"attributes":[{"key":"k","value":`+
		`{"doubleValue":"NaN"}}]`)), otlp.JSON)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(spans[0].Attrs["k"].(float64)))
	assert.Equal(t, int64(1795434560), spans[0].End.Unix())
}

// TestWhatIsNoNumberOfJSONIsRefused holds that only spellings of JSON are read, that an integer is one, and that no
// exponent makes the reader write out its zeros.
func TestWhatIsNoNumberOfJSONIsRefused(t *testing.T) {
	refused := func(member, value string) {
		body := inSpan(fmt.Sprintf(`"attributes":[{"key":"k","value":{%q:%s}}]`, member, value))
		_, err := otlp.Traces([]byte(body), otlp.JSON)
		require.ErrorIs(t, err, otlp.ErrBody, member+" "+value)
	}
	for _, v := range []string{
		`"0x10"`, `"inf"`, `"nan"`, `"1_0"`, `" 1"`, `""`, `"1e"`, `true`, `{}`, `"+1.0"`, `1e999`,
	} {
		refused("intValue", v)
		refused("doubleValue", v)
	}
	for _, v := range []string{
		`1.5`, `1e-1`, `1e19`, `"NaN"`, `1e99999999999999999999`, `1e-99999999999999999999`, `-5e-1`,
	} {
		refused("intValue", v)
	}
}
