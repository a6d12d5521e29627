package openwop_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/uuid"
)

// variables are what a case has saved. The steps of a case may use them at the same time.
type variables struct {
	mu     sync.Mutex
	values m
}

// condition is one of a variable: a number at least so large, or events that end with such a type.
type condition struct {
	Var        string
	GTE        *float64
	LastTypeIn []string
}

// variable is where one stands in a text, with how it is to be spelled.
var variable = regexp.MustCompile(`\$\{([A-Za-z0-9:]+)(?:\|([A-Za-z]+))?\}`)

// filters spell a value for the place it is put in.
var filters = map[string]func(string) string{
	"":            func(s string) string { return s },
	"raw":         func(s string) string { return s },
	"seg":         escaped,
	"tilde":       func(s string) string { return spelled(s, '~', "-._") },
	"lastSegment": func(s string) string { return escaped(s[strings.LastIndex(s, "/")+1:]) },
}

// escaped escapes all that has a meaning in a path.
func escaped(s string) string { return spelled(s, '%', "-._~") }

// spelled writes bytes as mark and two digits unless they are letters, digits or among kept.
func spelled(s string, mark byte, kept string) string {
	var out strings.Builder
	for _, c := range []byte(s) {
		if c < 0x80 && (regexp.MustCompile(`[A-Za-z0-9]`).Match([]byte{c}) || strings.IndexByte(kept, c) >= 0) {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%c%02X", mark, c)
		}
	}
	return out.String()
}

// get returns the value of a variable. That of a uuid: is made when it is first asked for.
func (v *variables) get(name string) (any, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	value, ok := v.values[name]
	if !ok && strings.HasPrefix(name, "uuid:") {
		value, ok = uuid.NewString(), true
		v.values[name] = value
	}
	return value, ok
}

// set sets a variable.
func (v *variables) set(name string, value any) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.values[name] = value
}

// unset forgets variables.
func (v *variables) unset(names []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, name := range names {
		delete(v.values, name)
	}
}

// copy makes the variables those of another case or step.
func (v *variables) copy(from *variables) {
	from.mu.Lock()
	values := maps.Clone(from.values)
	from.mu.Unlock()
	v.mu.Lock()
	defer v.mu.Unlock()
	v.values = values
}

// makeUUIDs makes those that a step names.
func (v *variables) makeUUIDs(st step) {
	raw, _ := json.Marshal(st)
	for _, match := range variable.FindAllSubmatch(raw, -1) {
		if name := string(match[1]); strings.HasPrefix(name, "uuid:") {
			v.get(name)
		}
	}
}

// holds says whether a condition does.
func (v *variables) holds(c condition) bool {
	value, _ := v.get(c.Var)
	if c.GTE != nil {
		n, ok := number(value)
		return ok && n >= *c.GTE
	}
	all, _ := value.([]any)
	return len(all) > 0 && slices.Contains(c.LastTypeIn, typeOf(all[len(all)-1]))
}

// put puts the variables in a JSON value. A text that is nothing but a variable becomes its value.
func (v *variables) put(x any) (out any, err error) {
	switch x := x.(type) {
	case string:
		if all := variable.FindStringSubmatch(x); all != nil && all[0] == x && all[2] == "" {
			return v.need(all[1])
		}
		return v.text(x)
	case []any:
		list := make([]any, len(x))
		for i, member := range x {
			if list[i], err = v.put(member); err != nil {
				return nil, err
			}
		}
		return list, nil
	case m:
		object := m{}
		for name, member := range x {
			if object[name], err = v.put(member); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return x, nil
}

// need is get of a variable that has to be there.
func (v *variables) need(name string) (any, error) {
	value, ok := v.get(name)
	if !ok {
		return nil, fmt.Errorf("variable %s was never saved", name)
	}
	return value, nil
}

// text puts the variables in a text.
func (v *variables) text(s string) (string, error) {
	var failed error
	out := variable.ReplaceAllStringFunc(s, func(found string) string {
		all := variable.FindStringSubmatch(found)
		value, err := v.need(all[1])
		filter := filters[all[2]]
		if err != nil || filter == nil {
			failed = fmt.Errorf("%s cannot be put in: %w", found, err)
			return ""
		}
		text, ok := value.(string)
		if !ok {
			raw, _ := json.Marshal(value)
			text = string(raw)
		}
		return filter(text)
	})
	return out, failed
}

// save saves what a step saves of its answer.
func (v *variables) save(st step, a reply) error {
	for name, source := range st.Save {
		source, optional := strings.CutPrefix(source, "?")
		value, ok, err := v.source(name, source, st, a)
		switch {
		case err != nil:
			return err
		case ok:
			v.set(name, value)
		case !optional:
			return fmt.Errorf("nothing at %s to save: %.200s", source, a.body)
		}
	}
	return nil
}

// source returns what an answer has at a source of save.
func (v *variables) source(name, source string, st step, a reply) (value any, ok bool, err error) {
	events, err := a.events()
	if err != nil {
		return nil, false, err
	}
	before, had := v.get(name)
	kind, rest, _ := strings.Cut(source, ":")
	switch kind {
	case "runPath":
		value, ok = v.runPath(st, a)
	case "events":
		value, ok = plain(events), true
	case "+events":
		list, _ := before.([]any)
		value, ok = append(slices.Clone(list), plain(events)...), true
	case "lastSequence":
		if value, ok = before, true; len(events) > 0 {
			value = events[len(events)-1]["sequence"]
		} else if !had {
			value = json.Number("-1")
		}
	case "lastType":
		value, ok = last(typesIn(events), ""), true
	case "event":
		value, ok = firstAt(events, rest)
	case "sse":
		if len(a.frames) > 0 {
			value, ok = a.frames[len(a.frames)-1].id, true
		}
	default:
		value, ok = a.at(source)
	}
	return value, ok, nil
}

// firstAt returns a value of the first event of a type; at is the type, a colon and the pointer.
func firstAt(events []m, at string) (any, bool) {
	kind, pointer, _ := strings.Cut(at, ":")
	i := slices.Index(typesIn(events), kind)
	if i < 0 {
		return nil, false
	}
	return valueAt(events[i], pointer)
}

// runPath returns the path of the run that an answer names.
func (v *variables) runPath(st step, a reply) (any, bool) {
	id, _ := a.text("/runId")
	if id == "" {
		return nil, false
	}
	if eventsURL, _ := a.text("/eventsUrl"); eventsURL != "" {
		u, err := url.Parse(eventsURL)
		if err != nil {
			return nil, false
		}
		return strings.TrimSuffix(u.EscapedPath(), "/events"), true
	}
	path, _ := v.text(st.Path)
	if strings.Contains(path, "/v1/") {
		return "/v1/runs/" + filters["tilde"](id), true
	}
	return "/runs/" + filters["tilde"](id), true
}
