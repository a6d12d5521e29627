package offline

import (
	"slices"

	"github.com/google/jsonschema-go/jsonschema"
)

// rationaleProperty is where a tool's schema may ask for the reason of a call.
const rationaleProperty = "rationale"

// member is one argument.
type member struct {
	name  string
	value any
}

// filled is a tool's arguments as far as a clause has them. A property with
// several values gives one call for each.
type filled struct {
	values  map[string][]any
	missing []string // required, and not found
	placed  string   // the property that what was named before fills
}

// role is what a property is for, by its name.
type role int

const (
	roleOther role = iota
	rolePath
	roleQuery
	roleFact
	roleZone
	roleURL
	roleTown
)

var roles = map[string]role{
	"path": rolePath, "file": rolePath, "filename": rolePath, "folder": rolePath, "dir": rolePath,
	"directory": rolePath, "filepath": rolePath,
	"query": roleQuery, "pattern": roleQuery, "search": roleQuery, "term": roleQuery, "keyword": roleQuery,
	"keywords": roleQuery, "q": roleQuery, "needle": roleQuery, "regex": roleQuery, "topic": roleQuery,
	"question": roleQuery,
	"location": roleTown, "city": roleTown, "town": roleTown, "place": roleTown, "country": roleTown, "region": roleTown,
	"content": roleFact, "text": roleFact, "note": roleFact, "body": roleFact, "message": roleFact,
	"value": roleFact, "fact": roleFact, "description": roleFact, "input": roleFact, "prompt": roleFact,
	"zone": roleZone, "timezone": roleZone, "tz": roleZone,
	"url": roleURL, "uri": roleURL, "link": roleURL, "href": roleURL,
}

func roleOf(name string) role {
	words := parts(name)
	for _, w := range slices.Backward(words) {
		if r, ok := roles[w]; ok {
			return r
		}
	}
	return roleOther
}

// order is the properties as the schema lists them, without the place for the
// reason.
func (p *profile) order() []string {
	if p.Schema == nil {
		return nil
	}
	names := slices.Clone(p.Schema.PropertyOrder)
	var rest []string
	for name := range p.Schema.Properties {
		if !slices.Contains(names, name) {
			rest = append(rest, name)
		}
	}
	slices.Sort(rest)
	names = append(names, rest...)
	return slices.DeleteFunc(names, func(n string) bool {
		return p.Schema.Properties[n] == nil || n == rationaleProperty && p.asksReason()
	})
}

// asksReason reports whether the reason goes into the arguments: the property
// stands first where it was put there for this.
func (p *profile) asksReason() bool {
	return p.Schema != nil && len(p.Schema.PropertyOrder) > 0 && p.Schema.PropertyOrder[0] == rationaleProperty &&
		p.Schema.Properties[rationaleProperty] != nil
}

func (p *profile) requires(name string) bool {
	return p.Schema != nil && slices.Contains(p.Schema.Required, name)
}

// fill finds the arguments of a tool in a clause. Places go first, since they
// are the easiest to tell, then what is looked for, then the rest.
func fill(c clause, p *profile) filled {
	out := filled{values: map[string][]any{}}
	f := newFound(c)
	names := p.order()
	has := func(r role) bool {
		return slices.ContainsFunc(names, func(n string) bool { return roleOf(n) == r })
	}
	for _, pass := range [][]role{{rolePath, roleZone, roleURL, roleTown}, {roleQuery, roleFact}, {roleOther}} {
		for _, name := range names {
			if !slices.Contains(pass, roleOf(name)) {
				continue
			}
			if v := f.property(p, name, has(roleQuery)); len(v) > 0 {
				out.values[name] = v[:min(len(v), maxCalls+1)] // one more shows that there were more
			}
		}
	}
	for _, name := range names {
		if p.requires(name) && len(out.values[name]) == 0 {
			out.missing = append(out.missing, name)
		}
	}
	return out
}

// property is what a clause says about one property, nothing if it is silent.
func (f *found) property(p *profile, name string, queries bool) []any {
	s := p.Schema.Properties[name]
	if len(s.Enum) > 0 {
		return f.choice(s.Enum)
	}
	switch kind(s) {
	case "integer", "number":
		return f.number(name, kind(s) == "integer", p.requires(name))
	case "boolean":
		return f.flag(name)
	case "array":
		var list []any
		for _, v := range f.strings(p, name, queries) {
			list = append(list, v)
		}
		if len(list) == 0 || s.Items != nil && kind(s.Items) != "string" {
			return nil
		}
		return []any{list}
	case "string":
		var out []any
		for _, v := range f.strings(p, name, queries) {
			if v != "" {
				out = append(out, v)
			}
		}
		return out
	}
	return nil
}

// kind is a schema's type; where it allows several, the simplest.
func kind(s *jsonschema.Schema) string {
	if s.Type != "" {
		return s.Type
	}
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	for _, any := range slices.Concat(s.AnyOf, s.OneOf) {
		if any != nil && any.Type != "" && any.Type != "null" {
			return any.Type
		}
	}
	return ""
}

// strings is what a clause has for a property that is text.
func (f *found) strings(p *profile, name string, queries bool) []string {
	if v := f.explicit(name); v != "" {
		return []string{v}
	}
	switch roleOf(name) {
	case rolePath:
		v := f.where(queries)
		if len(v) == 0 && !queries {
			if v = f.quotes(); len(v) == 0 {
				v = f.object(p)
			}
		}
		for i := range v {
			v[i] = tidy(v[i])
		}
		return v
	case roleQuery:
		return f.what()
	case roleFact:
		return []string{f.fact()}
	case roleZone:
		return f.zones()
	case roleURL:
		return f.urls()
	case roleTown:
		return f.towns(p)
	}
	if !p.requires(name) {
		return nil
	}
	if v := f.named(name); v != "" {
		return []string{v}
	}
	return f.what()
}
