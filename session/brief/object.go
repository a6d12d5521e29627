package brief

import (
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"candor/safety"
)

const (
	// maxMembers is how many members of an object or items of a list are looked at.
	maxMembers = 64
	// maxLevels is how deep arguments within arguments are looked into.
	maxLevels = 3
	// maxListed is how many items of a list are named.
	maxListed = 8
	// maxExtra is the length of the longest parameter beside the object, in characters.
	maxExtra = 40
	// maxExtras is how many parameters stand beside the object.
	maxExtras = 2
)

// Object returns the key parameter of a call, empty if it has none.
func Object(params safety.JSON) Line {
	if params.Null() || len(params.Raw()) > maxRead {
		return Line{}
	}
	return objectOf(gjson.ParseBytes(params.Raw()), 0)
}

func objectOf(v gjson.Result, level int) Line {
	if !v.IsObject() {
		return lineOf(wordsOf(v, level))
	}
	return read(v, level).object()
}

// parameter is a parameter that says something, with its value in words.
type parameter struct {
	name  string
	kind  kind
	value gjson.Result
	words string
}

// parameters are those of a call, in order.
type parameters []parameter

// read lists the first parameters of an object, at a level of arguments within arguments. It looks
// at each once, so that the work does not grow with the levels.
func read(v gjson.Result, level int) parameters {
	var list parameters
	if level > maxLevels {
		return nil
	}
	seen := 0
	v.ForEach(func(key, value gjson.Result) bool {
		k := kindOf(key.Str)
		if words := wordsOf(value, level); k != ignored && words != "" {
			list = append(list, parameter{key.Str, k, value, words})
		}
		seen++
		return seen < maxMembers
	})
	return list
}

// get returns the first parameter of a kind in words, "" if there is none.
func (p parameters) get(k kind) string {
	for _, c := range p {
		if c.kind == k {
			return c.words
		}
	}
	return ""
}

// object returns the line for parameters.
func (p parameters) object() Line {
	switch get := p.get; {
	case p.patched() != "":
		return lineOf(p.patched())
	case get(command) != "":
		return p.run()
	case get(agent) != "" && get(task) != "":
		return lineOf(get(agent) + ": " + get(task))
	case get(wrapper) != "" && get(named) != "":
		return lineOf(get(named) + ": " + get(wrapper))
	case get(wrapper) != "":
		return lineOf(get(wrapper))
	case get(address) != "":
		return p.request(get(address))
	case get(search) != "":
		return lineOf(strings.TrimSpace(get(search) + " " + get(path)))
	case get(origin) != "" && get(target) != "":
		return lineOf(get(origin) + " → " + get(target))
	case get(repository) != "" && get(number) != "":
		return lineOf(strings.TrimPrefix(get(owner)+"/", "/") + get(repository) + "#" + get(number))
	case get(path) != "":
		return p.withExtras(path, cutMiddle(flat(get(path)), MaxLine))
	}
	return p.leftOver()
}

// leftOver returns the line for parameters of which no name stands out: the first text that is
// short, else what there is.
func (p parameters) leftOver() Line {
	for _, k := range []kind{task, named, repository, origin, target, agent, other, owner} {
		if k == other && p.alike() {
			return lineOf(p.others())
		}
		for _, c := range p {
			if c.kind == k && c.value.Type == gjson.String && short(c.words) {
				return p.withExtras(k, flat(c.words))
			}
		}
		if words := p.get(k); words != "" && k != other && k != named {
			return lineOf(words)
		}
	}
	if words := p.get(content); words != "" {
		return lineOf(words)
	}
	if plain := p.scalars(); plain != "" {
		return lineOf(plain)
	}
	for _, c := range p {
		return lineOf(c.words)
	}
	return Line{}
}

// alike reports whether a list or an object stands beside another parameter of which the name tells as little, so
// that either alone may be the wrong one: of keep and remove, the call is about what it removes.
func (p parameters) alike() bool {
	several, all := false, 0
	for _, c := range p {
		if c.kind == other {
			several, all = several || c.value.IsArray() || c.value.IsObject(), all+1
		}
	}
	return several && all > 1
}

// others lists the parameters whose names are in no table, each with its name.
func (p parameters) others() string {
	var list []string
	for _, c := range p {
		if c.kind == other {
			list = append(list, c.name+"="+flat(c.words))
		}
	}
	return strings.Join(list[:min(len(list), maxListed)], " ")
}

// run returns the command, the words of a list separated by spaces.
func (p parameters) run() Line {
	for _, c := range p {
		if c.kind != command {
			continue
		}
		if !c.value.IsArray() {
			return lineOf(c.value.String())
		}
		var words []string
		c.value.ForEach(func(_, word gjson.Result) bool {
			words = append(words, word.String())
			return len(words) < maxMembers
		})
		return lineOf(strings.Join(words, " "))
	}
	return Line{}
}

// request returns an address, with the method unless that only reads.
func (p parameters) request(to string) Line {
	to = strings.TrimPrefix(to, "https://")
	if verb := strings.ToUpper(p.get(method)); verb != "" && verb != "GET" {
		to = verb + " " + to
	}
	return lineOf(to)
}

// withExtras puts the short texts of other parameters before the object, if there is room.
func (p parameters) withExtras(main kind, object string) Line {
	var extras []string
	skipped := false
	for _, c := range p {
		if c.kind == main && !skipped {
			skipped = true
			continue
		}
		if len(extras) < maxExtras && c.isExtra() {
			extras = append(extras, "--"+c.name+"="+c.value.Str)
		}
	}
	whole := flat(strings.Join(append(extras, object), " "))
	if utf8.RuneCountInString(whole) > MaxLine {
		return lineOf(object)
	}
	return lineOf(whole)
}

// isExtra reports whether the parameter may stand beside the object.
func (c parameter) isExtra() bool {
	beside := c.kind == other || c.kind == named || c.kind == trait
	return beside && c.value.Type == gjson.String && utf8.RuneCountInString(c.value.Str) <= maxExtra &&
		!strings.Contains(c.value.Str, "\n")
}

// scalars lists numbers and switches with their names.
func (p parameters) scalars() string {
	var list []string
	for _, c := range p {
		if c.value.Type == gjson.Number || c.value.IsBool() {
			list = append(list, c.name+"="+c.value.Raw)
		}
	}
	return strings.Join(list[:min(len(list), maxListed)], " ")
}

// short reports whether a text looks like a name and not like a document.
func short(s string) bool {
	return utf8.RuneCountInString(s) <= MaxLine && !strings.Contains(strings.TrimSpace(s), "\n")
}
