package command

import (
	"fmt"
	"runtime/debug"
)

// revision is the commit that `make build` writes into the program with -ldflags -X.
// It is empty in every other build.
var revision string

// buildVersion says which build this is, for candor --version: the version of the
// module where go install fetched one, else the commit, and the Go release that built
// it. A commit with changes that were not committed ends in "-dirty".
func buildVersion(info *debug.BuildInfo, commit string) string {
	const unversioned = "(devel)"
	version := info.Main.Version
	if version == "" || version == unversioned {
		version = unversioned
		if commit == "" {
			commit = stampedCommit(info)
		}
		if commit != "" {
			version = commit
		}
	}
	return fmt.Sprintf("%s, %s", version, info.GoVersion)
}

// stampedCommit returns the commit that the go command stamped into the build, or
// nothing if it was built outside of a repository or with -buildvcs=false.
func stampedCommit(info *debug.BuildInfo) string {
	const short = 12
	var commit, dirty string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), short)]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "-dirty"
		}
	}
	if commit == "" {
		return ""
	}
	return commit + dirty
}

// thisVersion is buildVersion of the running program. A binary without build information,
// which only unusual tools make, still has a version line.
func thisVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{GoVersion: "unknown Go"}
	}
	return buildVersion(info, revision)
}
