package tool

import (
	"os"
	"time"

	"candor/agent"
	"candor/safety"
)

// builtinTimeout limits each run of a built-in tool. It is enough to search a large
// workspace on a slow disk.
const builtinTimeout = 20 * time.Second

// Builtin returns all built-in tools: time, file_list, file_read, file_search,
// memory_save and memory_search, each with a time limit of 20 seconds. The file tools see
// only root, which the caller closes after the last run. Notes are cleaned by layer, are
// held in memory and live as long as the tools. All but memory_save are read-only.
//
// private are files and folders that the file tools refuse wherever in the workspace they
// are, by whatever name and link, and even if they are replaced later. Every [StateFolder]
// in the workspace is private without being named.
func Builtin(root *os.Root, layer *safety.Layer, private ...string) []agent.Tool {
	// The tools of one folder share its root, and those for notes share the notes.
	files, notes := workspace{root, privateIn(root, private)}, &memory{layer: layer, notes: map[string][]note{}}
	tools := []agent.Tool{
		ReadOnly(clock()),
		ReadOnly(New("file_list", "Lists the files and folders in a folder of the workspace.", files.list)),
		ReadOnly(New("file_read", "Reads the contents of a text file in the workspace, up to 64 KiB a call.",
			files.read)),
		ReadOnly(New("file_search", "Finds text in the files of the workspace and gives the lines that hold it.",
			files.searchFiles)),
		New("memory_save", "Remembers a note for the user, beyond this conversation.", notes.save),
		ReadOnly(New("memory_search", "Finds what was remembered for the user in earlier notes.", notes.recall)),
	}
	for i, t := range tools {
		tools[i] = WithTimeout(t, builtinTimeout)
	}
	return tools
}
