package openwop_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"candor/web/openwop"
)

// expectation is what an answer has to be. Open and Upstream are notes to a reader.
type expectation struct {
	Open, Upstream, MayAbort any
	Status, SchemaOf         *int
	StatusIn                 []int
	Allow501, Not2xx         bool
	Envelope                 *bool
	ErrorCode, Schema        string
	Headers                  map[string]headerCheck
	JSON, JSONAny            []m
	MaxMs                    any // is not judged: a slow machine is no fault
	BodyNot                  []string
	SSE                      *sseCheck
	Events                   *eventsCheck
	If200, IfNot2xx          *expectation
}

// headerCheck is what a header has to be.
type headerCheck struct {
	Equals, NotEquals *string
	Matches           string
}

// rule is one that is broken or not, and its text in the former case.
type rule struct {
	broken bool
	text   string
	want   any
}

// firstBroken returns what the first broken rule says.
func firstBroken(have any, rules ...rule) error {
	for _, r := range rules {
		if r.broken {
			return fmt.Errorf("%s (wanted %v; have %.600s)", r.text, r.want, fmt.Sprint(have))
		}
	}
	return nil
}

// differs says whether something was wanted, and not this.
func differs[T comparable](want *T, have T) bool { return want != nil && *want != have }

// check returns what is wrong with an answer.
func (p *player) check(a reply, x expectation, vars *variables) error {
	v := p.version
	if x.SchemaOf != nil {
		v = *x.SchemaOf
	}
	named := x.Status != nil || x.StatusIn != nil
	err := firstBroken(fmt.Sprintf("%d %.200s", a.status, a.body),
		rule{differs(x.Status, a.status), "another status", or(x.Status, 0)},
		rule{x.Status == nil && named && !slices.Contains(x.StatusIn, a.status), "another status", x.StatusIn},
		rule{!named && a.status >= 500 && !(x.Allow501 && a.status == 501), "a failure", "an answer"},
		rule{x.Not2xx && a.succeeded(), "accepted", "a refusal"})
	if err != nil {
		return err
	}
	if a.status >= 400 && (x.Envelope == nil || *x.Envelope) && a.method != http.MethodHead {
		if err := p.fits(a, v, "error-envelope"); err != nil {
			return err
		}
	}
	return p.checkRest(a, x, vars, v)
}

// checkRest returns what is wrong with an answer of the right status, judged by the schemas of a version.
func (p *player) checkRest(a reply, x expectation, vars *variables, v int) error {
	errs := []error{x.checkBody(a)}
	for name, c := range x.Headers {
		errs = append(errs, c.check(name, a.header))
	}
	if x.Schema != "" {
		errs = append(errs, p.fits(a, v, x.Schema))
	}
	if x.SSE != nil {
		errs = append(errs, x.SSE.check(p, a, v))
	}
	if x.Events != nil {
		errs = append(errs, x.Events.check(a, vars, v))
	}
	if x.If200 != nil && a.status == http.StatusOK {
		errs = append(errs, p.checkRest(a, *x.If200, vars, or(x.If200.SchemaOf, v)))
	}
	if x.IfNot2xx != nil && !a.succeeded() {
		errs = append(errs, p.checkRest(a, *x.IfNot2xx, vars, v))
	}
	return errors.Join(errs...)
}

// checkBody returns what is wrong with what the body of an answer says.
func (x expectation) checkBody(a reply) error {
	code, _ := a.text("/error")
	holds := func(c m) bool { return checkValue(a.json, a.isJSON, c) == nil }
	errs := []error{firstBroken(string(a.body),
		rule{x.ErrorCode != "" && code != x.ErrorCode, "another code", x.ErrorCode},
		rule{x.JSONAny != nil && !slices.ContainsFunc(x.JSONAny, holds), "none of these", x.JSONAny})}
	for _, c := range x.JSON {
		errs = append(errs, checkValue(a.json, a.isJSON, c))
	}
	for _, text := range x.BodyNot {
		has := func(f frame) bool { return strings.Contains(f.data, text) }
		if text != "" && (bytes.Contains(a.body, []byte(text)) || slices.ContainsFunc(a.frames, has)) {
			errs = append(errs, fmt.Errorf("the body contains %q", text))
		}
	}
	return errors.Join(errs...)
}

// or returns what a pointer points at, or other if it is nil.
func or[T any](p *T, other T) T {
	if p == nil {
		return other
	}
	return *p
}

// fits returns what is wrong with a body by a schema.
func (p *player) fits(a reply, v int, schema string) error {
	if !a.isJSON {
		return fmt.Errorf("status %d and no JSON: %.200q", a.status, a.body)
	}
	if err := p.schemas.check(openwop.Version(v), schema, a.body); err != nil {
		return fmt.Errorf("no %s of version %d: %w: %.300s", schema, v, err, a.body)
	}
	return nil
}

// check returns what is wrong with a header.
func (c headerCheck) check(name string, header http.Header) error {
	values := header.Values(name)
	have := last(values, "")
	matches, err := regexp.MatchString(c.Matches, have)
	if err != nil {
		return err
	}
	missing := len(values) == 0
	return firstBroken(fmt.Sprintf("%s: %q", name, values),
		rule{c.Equals != nil && (missing || *c.Equals != have), "another header", or(c.Equals, "")},
		rule{c.NotEquals != nil && !missing && *c.NotEquals == have, "a header it must not be", or(c.NotEquals, "")},
		rule{c.Matches != "" && (missing || !matches), "another header", c.Matches})
}

// checks are those of a value, by name: whether it is as wanted.
var checks = map[string]func(have, want any) bool{
	"pointer":   func(_, _ any) bool { return true },
	"optional":  func(_, _ any) bool { return true },
	"exists":    func(_, _ any) bool { return true },
	"absent":    func(_, want any) bool { return want != true },
	"equals":    same,
	"notEquals": func(have, want any) bool { return !same(have, want) },
	"oneOf":     func(have, want any) bool { return among(want, have) },
	"contains":  contains,
	"type":      isType,
	"matches": func(have, want any) bool {
		text, ok := have.(string)
		return ok && regexp.MustCompile(want.(string)).MatchString(text)
	},
	"minLength": func(have, want any) bool {
		text, ok := have.(string)
		n, _ := number(want)
		return ok && float64(utf8.RuneCountInString(text)) >= n
	},
	"gte": func(have, want any) bool { return compares(have, want, func(h, w float64) bool { return h >= w }) },
	"lte": func(have, want any) bool { return compares(have, want, func(h, w float64) bool { return h <= w }) },
	"lt":  func(have, want any) bool { return compares(have, want, func(h, w float64) bool { return h < w }) },
}

// checkValue returns what is wrong with the value at the pointer of a check.
func checkValue(document any, isJSON bool, c m) error {
	pointer := c["pointer"].(string)
	v, ok := valueAt(document, pointer)
	switch ok = ok && isJSON; {
	case !ok && (c["absent"] == true || c["optional"] == true):
		return nil
	case !ok:
		return fmt.Errorf("%s is missing", pointer)
	}
	for name, want := range c {
		holds, known := checks[name]
		if !known {
			return fmt.Errorf("there is no check %q", name)
		}
		if !holds(v, want) {
			return fmt.Errorf("%s is %v; wanted %s %v", pointer, v, name, want)
		}
	}
	return nil
}

// same says whether JSON values are the same. 1 is 1.0, and true is not 1.
func same(a, b any) bool {
	x, isNumber := number(a)
	if y, too := number(b); isNumber || too {
		return isNumber && too && x == y
	}
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case m:
		b, ok := b.(m)
		for name := range a {
			_, has := b[name]
			ok = ok && has && same(a[name], b[name])
		}
		return ok && len(a) == len(b)
	}
	return reflect.DeepEqual(a, b)
}

// among says whether a value is in a list.
func among(list, v any) bool {
	members, _ := list.([]any)
	return slices.ContainsFunc(members, func(member any) bool { return same(member, v) })
}

// contains says whether a list or a text contains what is wanted.
func contains(have, want any) bool {
	text, isText := have.(string)
	part, _ := want.(string)
	return isText && strings.Contains(text, part) || among(have, want)
}

// compares compares numbers.
func compares(have, want any, holds func(have, want float64) bool) bool {
	h, ok := number(have)
	w, too := number(want)
	return ok && too && holds(h, w)
}

// isType says whether a value is of a JSON type.
func isType(have, want any) bool {
	kinds := map[any]reflect.Kind{
		"string": reflect.String, "object": reflect.Map, "array": reflect.Slice, "boolean": reflect.Bool,
	}
	_, isNumber := have.(json.Number)
	return have != nil && !isNumber && reflect.TypeOf(have).Kind() == kinds[want]
}
