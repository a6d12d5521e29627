// Package tool contains Candor's built-in tools, and helpers for writing more.
//
// # Writing a tool
//
// [New] makes an agent.Tool from a function on a struct: the JSON schema of the arguments
// is derived from the struct's fields, and the arguments are decoded into it. Decorators
// add a rule to any tool: [WithTimeout] limits its run time, and [WithApproval] asks a
// person before it runs. A new built-in tool gets a file of its own with its argument
// struct, its result struct and its function, and a line in [Builtin].
//
// # The built-in tools
//
//	time             builtin.go        current date and time in a time zone
//	file_list        list.go           one folder of the workspace
//	file_read        read.go           a piece of a text file
//	file_search      search.go         lines that contain a text
//	memory_save      memory.go         stores a note for the user
//	memory_search    memory.go         finds the user's notes
//
// The file tools see one workspace folder and nothing else. They work through an os.Root
// (workspace.go), which refuses every path that leads out of it, including symbolic links.
// They only read, return a bounded amount of data, stop when their context ends, and give
// the same answer for the same files. Paths are relative to the workspace, with forward
// slashes; no error reveals the location of the workspace on the disk. Long texts are cut
// between words, because half of a credential would not be recognized and redacted later.
//
// Candor's own files (private.go), such as its tokens, are refused even in the workspace.
// The opened file decides, not its path: links, hard links and other spellings lead to the
// same refusal. Opening never blocks, so that a pipe in the place of a file cannot hold up
// a turn.
//
// The memory tools keep each user's notes separate, cleaned by a safety.Layer, and refuse
// to run without a user (agent.User).
//
// # Tools that are off by default
//
// [Decide] (decide.go) states a decision. It is offered where models are asked for their
// confidence.
//
// [Shell] (shell.go) runs commands and [HTTPGet] (httpget.go) fetches
// URLs. Both reach beyond the workspace, so they are not part of [Builtin]: the operator
// adds them and decides which calls need approval.
//
// # Errors
//
// The model and people in a conversation read errors. An error says what was wrong, with
// what, and what to do instead. A condition that a model can react to, such as an HTTP
// status or an exit code, is part of the result and not an error.
package tool
