package command

import (
	"fmt"
	"regexp"
	"strings"
)

// approvals is the value of attach --approve: any says that some calls wait for a person, tools of which tools. Without
// names these are the program's own choice.
type approvals struct {
	any   bool
	tools []string
}

// toolPattern is what the name of a tool in a list looks like, or a pattern for several.
var toolPattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.*-]{0,99}$`)

// Set takes the list of an --approve=LIST, and what stands for one without a list.
func (a *approvals) Set(text string) error {
	// The library gives "true" for the flag by itself. No tool has such a name.
	*a = approvals{any: text != "false"}
	if text == "true" || text == "false" {
		return nil
	}
	for name := range strings.SplitSeq(text, ",") {
		if name = strings.TrimSpace(name); !toolPattern.MatchString(name) {
			return fmt.Errorf("%q is not a list of tools such as Bash,Write", text)
		}
		a.tools = append(a.tools, name)
	}
	return nil
}

// String returns the list as Set takes it.
func (a *approvals) String() string { return strings.Join(a.tools, ",") }

// Get returns the value itself.
func (a *approvals) Get() any { return a }

// IsBoolFlag lets the flag stand alone, so that a list needs its equals sign.
func (a *approvals) IsBoolFlag() bool { return true }
