package brief

import "strings"

// kind is what a parameter's name says about its value. The smaller is the better object.
type kind int

// The kinds. A few stand alone, as a command does; others need a second one to tell something.
const (
	// command is what a shell, an interpreter or a database runs. It stands alone.
	command kind = iota
	// address is a URL. The method of a request goes before it.
	address
	// search is what is looked for. Its folder goes behind it.
	search
	// path is a file, a folder or a package, or a list of them.
	path
	// agent is who gets a task.
	agent
	// task is what another agent shall do or answer.
	task
	// wrapper holds the arguments of another call, as a gateway sends them.
	wrapper
	// origin is where something is moved from.
	origin
	// target is where something is moved to.
	target
	// repository is where a numbered issue or pull request is.
	repository
	// owner is whose repository it is.
	owner
	// number is that of an issue or a pull request.
	number
	// method is that of an HTTP request.
	method
	// named is a name, an id or a place: short, and enough to tell one thing from another.
	named
	// other is every name that no table has.
	other
	// content is what is written or sent, and often long. It is shown only if there is nothing else.
	content
	// trait tells something about an object that another parameter names.
	trait
	// ignored never tells what a call is about.
	ignored
)

// kinds lists the names of parameters by their kind, in lower case without _ and -.
var kinds = index(map[kind]string{
	command: "command cmd commandline script argv sql statement shell",
	address: "url uri endpoint href",
	search:  "pattern query regex q search searchquery searchterm keyword keywords glob term needle",
	path: "path paths filepath filepaths file files filename filenames targetfile notebookpath dir directory " +
		"folder folders relativeworkspacepath absolutepath package packages pkg",
	agent:      "agent subagenttype subagent agentname agenttype",
	task:       "task prompt question instruction instructions goal",
	wrapper:    "arguments args params parameters kwargs toolinput",
	origin:     "source src from oldpath",
	target:     "destination dest dst newpath",
	repository: "repo repository project",
	owner:      "owner org organization",
	number:     "number issue issuenumber pullnumber pr prnumber",
	method:     "method httpmethod",
	named: "name id key title selector to recipient recipients email user city location place zone timezone symbol " +
		"ticker table host service server branch tag ref revision commit topic channel slug decision resource " +
		"note expression",
	content: "content contents text body message description patch diff input oldstring newstring oldtext newtext " +
		"replacement markdown html data value todos edits code summary",
	trait:   "status state priority mode type unit language level",
	ignored: "rationale reason reasoning explanation thought confidence encoding locale format outputmode",
})

// index turns lists of words by kind into a table of kinds by word. A word that stands in two
// lists would have either kind, so each stands in one.
func index(lists map[kind]string) map[string]kind {
	table := map[string]kind{}
	for k, words := range lists {
		for word := range strings.FieldsSeq(words) {
			table[word] = k
		}
	}
	return table
}

// kindOf returns the kind of a parameter's name.
func kindOf(name string) kind {
	name = strings.ToLower(unjoined.Replace(name))
	if k, ok := kinds[name]; ok {
		return k
	}
	return other
}
