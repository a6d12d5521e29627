package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// moduleRoot is the folder of go.mod.
var moduleRoot = sync.OnceValue(func() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(filepath.Dir(dir)))
})

// typedPackages loads the module's packages without their tests, with types.
func typedPackages(t *testing.T) []*packages.Package {
	t.Helper()
	all, err := loadPackages()
	require.NoError(t, err)
	require.Greater(t, len(all), 20, "the module's packages are not all here")
	for _, p := range all {
		require.Empty(t, p.Errors, p.PkgPath)
	}
	return all
}

var loadPackages = sync.OnceValues(func() ([]*packages.Package, error) {
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports |
		packages.NeedExportFile | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo |
		packages.NeedModule
	all, err := packages.Load(&packages.Config{Mode: mode, Dir: moduleRoot()}, "./...")
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, p := range all {
		if !strings.HasSuffix(p.PkgPath, ".test") && len(p.GoFiles) > 0 {
			kept = append(kept, p)
		}
	}
	return kept, nil
})
