package command

import (
	"bytes"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheVersionNamesTheBuild(t *testing.T) {
	vcs := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	for _, tt := range []struct {
		name, module, commit string
		settings             []debug.BuildSetting
		want                 string
	}{
		{"a released module has its version", "v1.2.3", "", nil, "v1.2.3, go1.26.0"},
		{"make build has the commit", "(devel)", "1a2b3c4-dirty", nil, "1a2b3c4-dirty, go1.26.0"},
		{"go build has the commit it stamped", "(devel)", "",
			vcs("0123456789abcdef0123", "false"), "0123456789ab, go1.26.0"},
		{"uncommitted changes are marked", "", "", vcs("0123456789abcdef0123", "true"), "0123456789ab-dirty, go1.26.0"},
		{"a build without any has none", "", "", vcs("", "true")[1:], "(devel), go1.26.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info := &debug.BuildInfo{GoVersion: "go1.26.0", Settings: tt.settings}
			info.Main.Version = tt.module
			assert.Equal(t, tt.want, buildVersion(info, tt.commit))
		})
	}
}

func TestTheVersionFlagPrintsOneLine(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Run(t.Context(), []string{"candor", "--version"}, nil, &out, &out))
	assert.Regexp(t, `^candor version \S+, `+runtime.Version()+`\S*.*\n$`, out.String())
}
