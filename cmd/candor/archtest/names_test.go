package archtest

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestNoIdentifierHasTwoMeanings holds that a name declared at the level of a package is not declared
// again in it: not as a method, and not as a field, parameter or local variable that shadows it. A
// variable, field or method may be named like its own type, which is one meaning. Exported fields and
// methods are always written behind what they belong to, so they may have the name of an exported type.
func TestNoIdentifierHasTwoMeanings(t *testing.T) {
	for _, p := range typedPackages(t) {
		scope := p.Types.Scope()
		for _, id := range definedNames(p.TypesInfo.Defs) {
			obj := p.TypesInfo.Defs[id]
			outer := scope.Lookup(id.Name)
			if outer == nil || outer == obj || namedLikeItsType(obj, outer) || isExportedMember(obj) {
				continue
			}
			assert.Fail(t, "an identifier has two meanings", "%s: %s is also declared at %s",
				position(p.Fset, id.Pos()), id.Name, position(p.Fset, outer.Pos()))
		}
	}
}

// definedNames returns the identifiers that define something, in the order of the source.
func definedNames(defs map[*ast.Ident]types.Object) []*ast.Ident {
	var ids []*ast.Ident
	for id, obj := range defs {
		if obj != nil && id.Name != "_" && id.Name != "init" {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b *ast.Ident) int { return int(a.Pos() - b.Pos()) })
	return ids
}

// namedLikeItsType reports whether obj is a variable whose type is outer, or holds elements of it.
func namedLikeItsType(obj, outer types.Object) bool {
	if _, ok := outer.(*types.TypeName); !ok {
		return false
	}
	if f, ok := obj.(*types.Func); ok {
		results := f.Signature().Results()
		return results.Len() > 0 && holds(results.At(0).Type(), outer.Type())
	}
	return holds(obj.Type(), outer.Type())
}

// isExportedMember reports whether obj is an exported field or method.
func isExportedMember(obj types.Object) bool {
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Exported() && obj.IsField()
	case *types.Func:
		return obj.Exported() && obj.Signature().Recv() != nil
	}
	return false
}

func holds(t, want types.Type) bool {
	if types.Identical(t, want) {
		return true
	}
	switch t := t.(type) {
	case *types.Pointer:
		return holds(t.Elem(), want)
	case *types.Slice:
		return holds(t.Elem(), want)
	case *types.Array:
		return holds(t.Elem(), want)
	case *types.Map:
		return holds(t.Elem(), want)
	case *types.Chan:
		return holds(t.Elem(), want)
	}
	return false
}

// position is where a thing stands, as a path within the module.
func position(fset *token.FileSet, pos token.Pos) string {
	_, path, _ := strings.Cut(fset.Position(pos).String(), moduleRoot()+"/")
	return path
}
