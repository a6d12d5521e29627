// Package brief summarizes in one line each what a call was about and what it resulted in.
// The page, the terminal, exports and searches all show these two lines, so that a list of
// calls can be read without opening any of them:
//
//	delete_file  config/legacy_rates.yaml → deleted, 2.1 kB
//
// [Object] is the key parameter: a path, a command, a query, an address or a name. [Outcome] is the
// result or, if there is none, the reason for that. [Shape] has the same figures for programs.
// [Readable] is a whole value for exports: text without its envelope, an object with one member per
// line.
//
// # How an object is chosen
//
// Parameters are sorted into kinds by their names (kinds.go): command, address, search, path, task, name, other and
// content. The first kind that has a value wins, and a few pairs belong together: a search and its folder, an agent
// and its task, a repository and a number, a source and a destination. Short texts beside the object precede it as
// --name=value. Among equals the order of the parameters decides, which is the order of the tool's schema as the
// model wrote it. If one of the equals is a list, all are named, since the call may be about any: keep=r214
// remove=r210, r211. Nested arguments, as gateways send them, are searched, too, even as JSON in a text. A patch
// gives the files that it changes.
//
// # How an outcome is chosen
//
// A text is taken out of the envelope of an MCP server, and JSON out of a text (members.go). The
// members of an object are tried in this order: an error, the exit status of a command, the status
// of an HTTP answer, a verb such as deleted, a list, a text, a message, and the first plain
// members. A text of one line is shown as it is; of a longer one the lines are counted. Nothing is
// invented: if no member is recognized, the line is the size of the result.
//
// # Examples
//
//	{"file_path": "a.go", "limit": 40}                     a.go
//	{"pattern": "ledger", "path": "deploy/"}               ledger deploy/
//	{"path": "internal", "since": "2026-11-17"}            --since=2026-11-17 internal
//	{"method": "post", "url": "https://a.example/b"}       POST a.example/b
//	{"repo": "billing", "number": 482}                     billing#482
//	{"agent": "reviewer", "task": "Look again."}           reviewer: Look again.
//	{"name": "grep", "arguments": "{\"pattern\":\"x\"}"}     grep: x
//
//	{"matches": [{"path": "a"}, {"path": "b"}]}            2 matches in 2 files
//	{"exit_code": 1, "stdout": "…FAIL…"}                   FAIL, exit 1, 161 lines
//	{"status": 404, "body": "no such page"}                404, 12 bytes
//	{"deleted": true, "bytes": 2148}                       deleted, 2.1 kB
//	{"content": [{"type": "text", "text": "agrees"}]}      agrees
//	{"success": false, "error": "No such branch. …"}       No such branch.
//	{"a": {…}, "b": {…}}                                   2 members, 25 bytes
//
// # Guarantees
//
// Object and Outcome take cleaned values, and only this package can make a [Line]. A Line holds nothing but
// parts of these values and a few fixed words, is at most [MaxLine] characters long, valid UTF-8 and free
// of control characters. The same call always gives the same line. Work is bounded: at most 64 members of
// an object are looked at, three levels deep, and results above 256 KiB are only measured.
//
// # Where to add things
//
// The name of a parameter is a word in a table of kinds.go, the name of a member of a result a word in
// a table of members.go. Add the call to the table of object_test.go or outcome_test.go first.
package brief
