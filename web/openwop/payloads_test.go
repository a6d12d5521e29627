package openwop_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"candor/safety"
	"candor/session"
	"candor/web/openwop"
)

// cleaned are the types of which a payload may be made, besides numbers: cleaned values, parts of
// them, and words of the program.
func cleaned() []string {
	return []string{
		"safety.Text", "safety.JSON", "openwop.excerpt", "openwop.object", "openwop.decision", "openwop.member",
		"openwop.ours", "openwop.closed", "openwop.Status", "openwop.Verbosity", "session.Answer", "session.Outcome",
		"session.Source", "session.Stop", "session.Transport",
	}
}

// checkType fails if a value of the type could hold text that was not cleaned.
func checkType(t *testing.T, typ reflect.Type, seen map[reflect.Type]bool) {
	t.Helper()
	if seen[typ] || slices.Contains(cleaned(), typ.String()) {
		return
	}
	seen[typ] = true
	switch typ.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
	case reflect.Pointer, reflect.Slice:
		checkType(t, typ.Elem(), seen)
	case reflect.Map:
		checkType(t, typ.Key(), seen)
		checkType(t, typ.Elem(), seen)
	case reflect.Struct:
		for field := range typ.Fields() {
			if field.Tag.Get("json") != "-" {
				checkType(t, field.Type, seen)
			}
		}
	default:
		assert.Fail(t, "text that nothing cleaned could be sent", "%s", typ)
	}
}

// The types of payloads let no text in that did not pass the safety layer, so that a key in
// reasoning, arguments, a result, an error, a decision or a hand-off cannot be sent.
func TestPayloadsAreMadeOfCleanedValues(t *testing.T) {
	seen := map[reflect.Type]bool{}
	kinds := map[openwop.Kind]bool{}
	for _, seed := range seeds(25, 300) {
		log := randomRun(t, seed)
		for _, v := range views() {
			p := openwop.NewProjector(v)
			for _, up := range log {
				for _, e := range p.Project(up.Turn, up.Event) {
					for _, mode := range openwop.Modes() {
						if shown, ok := mode.Show(v, up.Turn, e); ok {
							kinds[shown.Kind] = true
							checkType(t, reflect.TypeOf(shown.Payload), seen)
						}
					}
				}
			}
		}
	}
	assert.Len(t, kinds, int(openwop.MessageChunk)+1, "all kinds of events were seen")
}

// What becomes a word of the program is a constant, or an id or a name that the session documents
// as its own.
func TestOnlyNamesOfTheProgramBecomeWordsOfIt(t *testing.T) {
	own := []string{
		"b.Answer", "b.Call", "b.Node", "b.Outcome", "b.Stop.Words()", "c.ID", "e.Run", "n.Agent", "n.Node", "n.Type",
		"name",
		"t.Thread",
		"timestamp(at)", "RunID(v.Version, v.User, of)", "cmp.Or(t.Workflow.ID, ChatWorkflow)",
		"hex.EncodeToString(sum[:])",
	}
	var found []string
	inPackage(t, func(file string, fset *token.FileSet, n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			if to, ok := n.Fun.(*ast.Ident); ok && to.Name == "ours" && file != "ids.go" {
				var b strings.Builder
				require.NoError(t, printer.Fprint(&b, fset, n.Args[0]))
				found = append(found, b.String())
				assert.Contains(t, own, b.String(), file)
			}
		case *ast.CompositeLit:
			made, ok := n.Type.(*ast.Ident)
			raw := ok && slices.Contains([]string{"object", "decision", "member"}, made.Name) && len(n.Elts) > 0
			assert.False(t, raw && file != "values.go", "%s makes a value of its own", file)
		}
	})
	for _, name := range own {
		assert.Contains(t, found, name)
	}
}

// inPackage calls visit for each node of the package's own files.
func inPackage(t *testing.T, visit func(file string, fset *token.FileSet, n ast.Node)) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		parsed, err := parser.ParseFile(fset, file, nil, parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			visit(file, fset, n)
			return true
		})
	}
}

// A planted key reaches no event, wherever it stood.
func TestAPlantedKeyReachesNoEvent(t *testing.T) {
	key := "ghp" + "_" + strings.Repeat("q7Zt4Lw9X", 4)
	dirty, inJSON := words("see "+key+"!"), value(`{"decision":"use `+key+`"}`)
	call := aDecision(sure(0.4))
	call.Tool, call.Params, call.Rationale = dirty, inJSON, session.Rationale{Text: dirty, Source: session.FromModel}
	plain := aCall(nil)
	plain.Call, plain.Tool, plain.Params, plain.Rationale = "call_2", dirty, inJSON, call.Rationale
	w := session.Workflow{ID: "chat", Inputs: inJSON, Options: inJSON, Spoken: true}
	log := recorded(t, w, lead(
		session.Spoken{Step: 1, Text: dirty}, session.Narrated{Step: 1, Text: dirty, Source: session.FromModel}, call,
		session.ApprovalAsked{Call: "call_1", Description: dirty, Shown: inJSON, LowConfidence: true},
		session.ApprovalAnswered{Call: "call_1", Answer: session.Approve, Value: inJSON}, plain,
		session.Handoff{Call: "call_2", To: "helper_1", Text: dirty},
		session.ToolReturned{Call: "call_1", Outcome: session.Errored, Error: dirty},
		session.ToolReturned{Call: "call_2", Outcome: session.Success, Result: inJSON},
		session.TurnFailed{Error: dirty},
	))
	for _, v := range views() {
		text := lines(t, projected(v, log))
		for _, up := range log {
			text += string(newSchemas(t).valid(t, v.Version, "run-snapshot", openwop.Snapshot(v, up.Turn)))
		}
		assert.False(t, strings.Contains(text, key[:20]), "the key came through")
		assert.Contains(t, text, "[REDACTED:")
	}
	assert.NotEqual(t, safety.Text{}, dirty)
}
