package safety

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety/internal/rule"
)

// neighbours are texts beside a secret that are made of the characters of tokens.
var neighbours = []string{
	"DEBUG=true", "PORT=8080", "next_line", "camelCaseWord", "123456", `"abc": "def"`, "- item",
	"LOG_LEVEL=info2", "region: eu-west-1", "Then I run it", "version2", "APP_NAME=candorWeb42", "v1.22.333-RC1",
	"node20 build.js", "20261122T081708", "HTTPServerError404",
}

// lineFrames hold a secret, §, on a line between two neighbours, ¤.
var lineFrames = []string{
	"¤\n§\n¤\n", "¤\n§\n¤", "¤\r\n§\r\n¤\r\n", "¤\n\n§\n\n¤\n", "  ¤\n  §\n  ¤\n", "- ¤\n- §\n- ¤\n",
	"* ¤\n* §\n* ¤", "1. ¤\n2. §\n3. ¤\n", "> ¤\n> §\n> ¤\n", "# ¤\n# §\n# ¤\n", "§\n¤\n¤\n¤\n",
	"10: ¤\n11: §\n12: ¤\n", "+ ¤\n+ §\n+ ¤\n", "// ¤\n// §\n// ¤\n",
}

// tokenFrames hold a token, §, beside a neighbour, ¤, in settings, data, markup, code, commands
// and prose.
var tokenFrames = []string{
	"¤\nMY_VALUE=§\n¤\n", "¤\nAPI_TOKEN=§\n¤\n", "¤\r\nAPI_TOKEN=§\r\n¤\r\n", "¤\nAPI_TOKEN=\"§\"\n¤\n",
	"¤\napi_token: §\n¤\n", "a: 1\nvalue: §\nb: ¤\n", "- §\n- ¤\n", "  - §\n  - ¤\n",
	"keys:\n  - \"§\"\n  - \"x\"\n¤\n", "KEY=§\\nDEBUG=true\\n¤",
	"export A=1\nexport API_TOKEN=§\nexport ¤\n", "export API_TOKEN='§'\n¤\n", "API_TOKEN=§ ¤\n", "API_TOKEN=§; ¤\n",
	"API_TOKEN=§ && ¤",
	`{"x": "y", "value": "§", "z": "w"}`, "{\n  \"a\": \"b\",\n  \"value\": \"§\",\n  \"c\": \"d\"\n}",
	`{"value":"§","b":"v12345678"}`, `{"value":"§","next_page":"Cursor12345678"}`, `["§","second_value_2","third"]`,
	`["§", "secondValue22", "third"]`,
	`{"env":"KEY=§\nDEBUG=true\nPORT=8080"}`,
	"¤,§,¤\n", "a,b\n§,x1\n¤,y2\n", "\"row1\",\"§\",\"row2\"\n", "row1;§;row2\n", "¤\t§\t¤\n",
	"- the key `§`\n- ¤\n", "* **§**\n* ¤\n", "| § | ¤ |\n", "| a | § |\n| b | ¤ |\n", "| § |\n| ¤ |\n",
	"<td>§</td><td>row2</td>", "<li>§</li>\n<li>version22</li>", "<b>§</b> version22",
	"<a>§</a><br>version22x",
	"k := \"§\"\n¤\n", "const k = '§';\n¤;\n", "call(\"§\", ¤)\n", "call(\"§\", other12Value)\n", "k = '§' # ¤\n",
	"k = `§`\n¤\n", "x = [\n    \"§\",\n    \"otherValue99\",\n]\n",
	"I found §. ¤ is next.", "I found §, ¤ and more.", "I found § ¤ there.", "The key is §\n¤\n", "Use (§) ¤",
	"See §: ¤", "I use § and ¤.", "?token=§&debug=true&page=camelCase22", "curl -H 'X: §' -d camelCase22 ¤",
	"cmd --token § --name ¤", "cmd --token=§ --name=camelCase22", "§ | jq ¤", "§ > out12345.txt",
}

// place puts a secret and a neighbour into a frame.
func place(frame, secret, neighbour string) string {
	return strings.NewReplacer("¤", neighbour, "§", secret).Replace(frame)
}

var markerPattern = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)

// withoutIDs replaces each marker by one that names no rule.
func withoutIDs(s string) string { return markerPattern.ReplaceAllString(s, "[R]") }

var openRun = regexp.MustCompile(`\{([a-zA-Z%])(\d+)(?:-(\d+)|\+)\}`)

// lengthened gives the runs of a template that may have several lengths one between the bounds.
func lengthened(template string) string {
	return openRun.ReplaceAllStringFunc(template, func(run string) string {
		m := openRun.FindStringSubmatch(run)
		low, _ := strconv.Atoi(m[2])
		high, err := strconv.Atoi(m[3])
		if err != nil {
			high = low + 20
		}
		return fmt.Sprintf("{%s%d}", m[1], (low+min(high, low+40))/2)
	})
}

// eachSecret calls visit with secrets of every rule that masks, and with what is left of each when
// it stands alone.
func eachSecret(l *Layer, visit func(r *rule.Rule, n int, secret, masked string)) {
	n := 0
	for i := range l.detector.Rules {
		r := &l.detector.Rules[i]
		if r.Specificity == rule.FlagOnly {
			continue
		}
		for k, h := range r.Hits {
			for _, template := range [...]string{h, lengthened(h)} {
				secret := hitOf(r, template, uint64(k)+17)
				masked, _ := l.Mask(secret)
				visit(r, n, secret, withoutIDs(masked.String()))
				n++
			}
		}
	}
}

// Each secret has another sixteenth of the neighbours in each frame.
func TestWhatStandsBesideASecretIsUntouched(t *testing.T) {
	if WithRaceDetector {
		t.Skip("slow with the race detector, and starts no goroutine; it runs without")
	}
	l, tried := plainLayer(), 0
	eachSecret(l, func(r *rule.Rule, n int, secret, masked string) {
		frames := lineFrames
		if masked == "[R]" && r.Specificity == rule.ByShape {
			frames = append(frames[:len(frames):len(frames)], tokenFrames...)
		}
		for f, frame := range frames {
			neighbour := neighbours[(n+f)%len(neighbours)]
			text := place(frame, secret, neighbour)
			want := strings.ReplaceAll(place(frame, masked, neighbour), "\r\n", "\n")
			got, _ := l.Mask(text)
			require.Equal(t, want, withoutIDs(got.String()), "%s in %q", r.ID, text)
			tried++
		}
	})
	assert.Greater(t, tried, 30_000)
}

func TestTwoSecretsSideBySideAreTwoMarkers(t *testing.T) {
	if WithRaceDetector {
		t.Skip("slow with the race detector, and starts no goroutine; it runs without")
	}
	l := plainLayer()
	var secrets []string
	eachSecret(l, func(r *rule.Rule, _ int, secret, masked string) {
		if masked == "[R]" && r.Specificity == rule.ByShape {
			secrets = append(secrets, secret)
		}
	})
	frames := []string{
		"§ ¤", "§\n¤\n", "A=§\nB=¤\n", `{"a":"§","b":"¤"}`, `["§", "¤"]`,
		"§,¤\n", "- §\n- ¤\n", "| § | ¤ |", "I use § and ¤.",
		"<td>§</td><td>¤</td>", "a: §\r\nb: ¤\r\n",
		"f(\"§\", \"¤\")", "--a § --b ¤", "export A=§\nexport B=¤\n", "`§` `¤`",
	}
	for k, first := range secrets {
		for f, frame := range frames {
			second := secrets[(k*7+f*31+1)%len(secrets)]
			if first == second {
				continue
			}
			text := place(frame, first, second)
			got, _ := l.Mask(text)
			want := strings.ReplaceAll(place(frame, "[R]", "[R]"), "\r\n", "\n")
			assert.Equal(t, want, withoutIDs(got.String()), "%q", text)
		}
	}
}

func TestAPrivateKeyWithADamagedEndIsMaskedAndTheTextBehindItStays(t *testing.T) {
	l, body := plainLayer(), fill("{b64}\n{b64}\n{b64}", 5)
	begin := "-----BEGIN PRIVATE " + "KEY-----\n"
	for _, tt := range []struct{ name, key, rest string }{
		{"a certificate's END", begin + body + "\n-----END CERTIFICATE-----", ""},
		{"another key's END", begin + body + "\n-----END RSA PRIVATE " + "KEY-----", ""},
		{"a misspelled label", begin + body + "\n-----END PRVATE KEY-----", ""},
		{"a misspelled END", begin + body, "\n-----EDN PRIVATE KEY-----"},
		{"an END cut short", begin + body, "\n-----END PRIV"},
		{"an END without its last dashes", begin + body, "\n-----END PRIVATE " + "KEY--"},
		{"an END cut after its dashes", begin + body, "\n-----"},
		{"no END", begin + body, ""},
		{"a second key", begin + body + "\n" + begin + body, ""},
		{"a certificate behind it", begin + body, "\n-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"},
		{"no base64, a certificate's END", begin + strings.Repeat("x!y@ ", 20) + "\n-----END CERTIFICATE-----", ""},
	} {
		for _, after := range []string{"\nDEBUG=true\n", "\nnext_line: 1\n", "\nThen I go on.\n", "\ncamelCaseWord\n"} {
			out, _ := l.Mask("before\n" + tt.key + tt.rest + after)
			masked := withoutIDs(out.String())
			assert.Equal(t, "before\n[R]"+tt.rest+after, strings.Replace(masked, "[R]\n[R]", "[R]", 1), tt.name)
		}
	}
}
