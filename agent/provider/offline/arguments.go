package offline

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	// placeNames are properties that hold a path.
	placeNames = newWordSet("path file filename filepath folder directory dir")
	// textNames are properties that hold text of any kind.
	textNames = newWordSet("query pattern search term keyword content text note body message")
	// folderNouns follow the name of a folder: the session folder.
	folderNouns = newWordSet("folder directory dir package")
	// prepositions and articles precede a place: in the session folder.
	prepositions = newWordSet("in inside within under from through")
	articles     = newWordSet("a an the this that my our your file folder directory")
	// edges are cut off both ends of what remains of a request.
	edges = newWordSet("a an the that this these to of for about in on at from with by is are was were do does did " +
		"it its them there one first word words phrase text string your all everything called named please now")
)

// object is a JSON object whose members keep their order.
type object []member

// member is a property of an object with its value: a string, a number, or what
// parse returns.
type member struct {
	name  string
	value any
}

// encode returns the object as JSON. Its values are strings and numbers, which
// always have a JSON form.
func (o object) encode() json.RawMessage {
	var members []string
	for _, m := range o {
		name, _ := json.Marshal(m.name)
		value, _ := json.Marshal(m.value)
		members = append(members, string(name)+":"+string(value))
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

// kind is how the value of a property is found in a request.
type kind int

// The kinds in the order in which they take their words: what is easiest to tell
// comes first, and what may be any text takes what the others leave.
const (
	kindChoice  kind = iota // one of the schema's enumeration
	kindNumber              // a number
	kindPlace               // a path
	kindText                // any text, quoted or not
	kindExact               // an optional string: quoted, or shaped like a path or URL
	kindUnknown             // never filled
)

// kind decides by the type and the name of a property alone. Descriptions of
// properties are prose and too different from server to server to rely on.
func (p *profile) kind(name string) kind {
	s := p.Schema.Properties[name]
	switch {
	case len(s.Enum) > 0:
		return kindChoice
	case hasType(s, "integer"), hasType(s, "number"):
		return kindNumber
	case !hasType(s, "string"):
		return kindUnknown
	case placeNames[name]:
		return kindPlace
	case textNames[name], slices.Contains(p.Schema.Required, name):
		return kindText
	}
	return kindExact
}

// hasType reports whether a schema allows a type, alone or beside others.
func hasType(s *jsonschema.Schema, name string) bool {
	return s.Type == name || slices.Contains(s.Types, name)
}

// filler takes the arguments of one tool out of one request. used marks the words
// that are spoken for, so that no word fills two arguments.
type filler struct {
	request
	tool *profile
	used []bool
}

// fill returns the arguments that a request has for a tool, in the order of the
// schema, and the names of those that the tool requires but the request lacks.
func fill(r request, tool *profile) (args object, missing []string) {
	f := filler{request: r, tool: tool, used: make([]bool, len(r.words))}
	names := tool.properties()
	values := map[string]string{}
	for k := kindChoice; k < kindUnknown; k++ {
		for _, name := range names {
			if tool.kind(name) == k {
				values[name] = f.find(k, tool.Schema.Properties[name])
			}
		}
	}
	for _, name := range names {
		switch v := values[name]; {
		case v != "" && tool.kind(name) == kindNumber:
			args = append(args, member{name, json.Number(v)})
		case v != "":
			args = append(args, member{name, v})
		}
	}
	for _, name := range tool.required() {
		if values[name] == "" {
			missing = append(missing, name)
		}
	}
	return args, missing
}

// find returns the value of a property, "" if the request has none.
func (f *filler) find(k kind, s *jsonschema.Schema) string {
	switch k {
	case kindChoice:
		return f.take(func(w word) bool { return slices.Contains(s.Enum, any(w.text)) })
	case kindNumber:
		return f.take(func(w word) bool { return !w.quoted && numeric(w.text, hasType(s, "integer")) })
	case kindPlace:
		return f.place()
	}
	if v := f.take(func(w word) bool { return w.quoted }); v != "" {
		return v
	}
	if k == kindText {
		return f.remainder()
	}
	return f.take(func(w word) bool { return w.pathLike() || w.isURL() })
}

// numeric reports whether a word is a number that JSON can hold.
func numeric(s string, whole bool) bool {
	_, err := strconv.ParseInt(s, 10, 64)
	if err != nil && !whole {
		_, err = strconv.ParseFloat(s, 64)
	}
	return err == nil && json.Valid([]byte(s)) // ParseFloat accepts Inf, and 0x1p-2
}

// take uses the first free word that fits and returns it, "" for none.
func (f *filler) take(fits func(word) bool) string {
	for i, w := range f.words {
		if !f.used[i] && fits(w) {
			f.used[i] = true
			return w.text
		}
	}
	return ""
}

// place returns a path: a word with a slash, the word in front of a folder noun,
// or the last word after a preposition. For a tool that takes no text, any quoted
// or path-like word will do, and so will a single word that remains. A URL never
// does: shortened as paths are, one that holds a password is no longer recognized
// and masked.
func (f *filler) place() string {
	for i, w := range f.words {
		if f.used[i] || !w.mayBePath() {
			continue
		}
		if path := f.placeAt(i); path != "" {
			return path
		}
	}
	if slices.ContainsFunc(f.tool.properties(), func(name string) bool { return f.tool.kind(name) == kindText }) {
		return "" // the remaining words are for the text
	}
	if v := f.take(func(w word) bool { return w.quoted || w.pathLike() }); v != "" {
		return tidy(v)
	}
	if v := f.remainder(); !strings.Contains(v, " ") && !strings.Contains(v, "://") {
		return tidy(v)
	}
	return ""
}

// placeAt returns word i as a path if the words around it, or a slash in it, say
// that it is a place. It uses up "in the files", which is no place in particular.
func (f *filler) placeAt(i int) string {
	w, own := f.words[i], f.tool.has(f.words[i])
	from, to, in := f.phrase(i)
	switch last := in && to == len(f.words); {
	case last && own:
		f.use(from, to)
		return ""
	case last, to > i+1 && !own, w.pathLike() && (in || !w.quoted && strings.Contains(w.text, "/")):
		f.use(from, to)
		return tidy(w.text)
	}
	return ""
}

// mayBePath reports whether a word can name a file or a folder at all.
func (w word) mayBePath() bool { return !w.in(small) && !w.in(folderNouns) && !w.isURL() }

// phrase returns the bounds of the phrase around word i, such as "in the session
// folder" around "session", and whether it begins with a preposition.
func (f *filler) phrase(i int) (from, to int, in bool) {
	for from = i; from > 0 && f.words[from-1].in(articles); {
		from--
	}
	if in = from > 0 && f.words[from-1].in(prepositions); in {
		from--
	}
	if to = i + 1; to < len(f.words) && f.words[to].in(folderNouns) {
		to++
	}
	return from, to, in
}

// use marks the words in [from, to) as spoken for.
func (f *filler) use(from, to int) {
	for i := from; i < to; i++ {
		f.used[i] = true
	}
}

// tidy removes the parts that a path does not need: a leading ./ and a trailing /.
func tidy(path string) string {
	return cmp.Or(strings.TrimRight(strings.TrimPrefix(path, "./"), "/"), path)
}

// remainder returns the first run of free words after the first of the tool's own
// words, without the edges and, in front, without more of the tool's own words.
func (f *filler) remainder() string {
	for i := slices.IndexFunc(f.words, f.tool.has) + 1; i < len(f.words); i++ {
		end := i
		for end < len(f.words) && !f.used[end] {
			end++
		}
		from, to := i, end
		for from < to && (f.words[from].in(edges) || f.tool.has(f.words[from])) {
			from++
		}
		for from < to && f.words[to-1].in(edges) {
			to--
		}
		if from < to {
			f.use(from, to)
			start := f.words[0].start
			return f.text[f.words[from].start-start : f.words[to-1].end-start]
		}
		i = end
	}
	return ""
}

// rationaleProperty is where a tool's schema may ask for the reason of a call.
const rationaleProperty = "rationale"

// confidenceProperty is the property that the dispatcher adds behind it where it asks how sure a
// model is.
const confidenceProperty = "confidence"

// properties returns the names of the schema's properties in its order, without
// the place for the reason.
func (p *profile) properties() []string {
	if p.Schema == nil {
		return nil
	}
	names := slices.Clone(p.Schema.PropertyOrder)
	for _, name := range slices.Sorted(maps.Keys(p.Schema.Properties)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return p.Schema.Properties[name] == nil || name == rationaleProperty && p.asksReason() ||
			name == confidenceProperty && p.asksConfidence()
	})
}

// required returns the names of the properties that a call must have, without the
// place for the reason.
func (p *profile) required() []string {
	if p.Schema == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(p.Schema.Required), func(name string) bool {
		return name == rationaleProperty && p.asksReason()
	})
}

// asksReason reports whether a call's reason goes into its arguments: the
// dispatcher puts a property for it in front of all others.
func (p *profile) asksReason() bool {
	return p.Schema != nil && len(p.Schema.PropertyOrder) > 0 && p.Schema.PropertyOrder[0] == rationaleProperty &&
		p.Schema.Properties[rationaleProperty] != nil
}

// asksConfidence reports whether a call's arguments may say how sure the model is, which the
// offline provider never is: the dispatcher puts a property for it behind that of the reason.
func (p *profile) asksConfidence() bool {
	order := p.Schema.PropertyOrder
	return p.asksReason() && len(order) > 1 && order[1] == confidenceProperty
}
