package app

import (
	"path/filepath"
	"slices"

	"candor/agent/tool"
)

// privateFiles returns the files and folders that file tools refuse: those that hold the
// secrets and the rules of this process. The state folder of the workspace is refused in
// any case.
func (s Settings) privateFiles() []string {
	all := append(slices.Clone(s.Private), tool.StateFolder, s.Safety.SecretsFile, s.Safety.PolicyFile,
		s.Tools.MCPConfig, s.MEW.SpacesFile, s.Storage.Dir,
		s.Storage.NATS.Credentials, s.Storage.NATS.Key)
	return slices.DeleteFunc(all, func(name string) bool { return name == "" })
}

// PrivateInWorkspace returns the private files and folders that lie in the workspace,
// relative to it, sorted and each once. File tools refuse them, but a command of the shell
// tool or an MCP server can read them: they belong elsewhere.
func (s Settings) PrivateInWorkspace() []string {
	base, err := filepath.EvalSymlinks(s.Tools.Workspace)
	if err != nil {
		return nil // New reports a workspace that does not exist
	}
	if base, err = filepath.Abs(base); err != nil {
		return nil
	}
	var inside []string
	for _, name := range append(s.privateFiles(), filepath.Join(base, tool.StateFolder)) {
		actual, err := filepath.EvalSymlinks(name)
		if err != nil {
			continue
		}
		if actual, err = filepath.Abs(actual); err != nil {
			continue
		}
		if rel, err := filepath.Rel(base, actual); err == nil && filepath.IsLocal(rel) {
			inside = append(inside, filepath.ToSlash(rel))
		}
	}
	slices.Sort(inside)
	return slices.Compact(inside)
}
