package tool

import (
	"os"
	"time"

	"candor/agent"
	"candor/safety"
)

// limit is how long a built-in tool may take: enough to search a large
// workspace on a slow disk.
const limit = 20 * time.Second

// Builtin returns all built-in tools: time, file_list, file_read, file_search,
// memory_save and memory_search, each with a time limit. The file tools see root
// and nothing else; root stays the caller's to close, after the last run. Notes
// are cleaned by layer and live as long as the tools.
func Builtin(root *os.Root, layer *safety.Layer) []agent.Tool {
	files, notes := workspace{root}, newMemory(layer)
	tools := []agent.Tool{
		clock(),
		files.listTool(), files.readTool(), files.searchTool(),
		notes.saveTool(), notes.searchTool(),
	}
	for i, t := range tools {
		tools[i] = Timeout(t, limit)
	}
	return tools
}
