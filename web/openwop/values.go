package openwop

import (
	"encoding/json"
	"maps"

	"candor/safety"
)

// object is a JSON object made of cleaned values. Only the functions below make one.
type object map[string]json.RawMessage

// objectOf returns a cleaned object. Any other value becomes the member "value", and null nothing.
func objectOf(j safety.JSON) object {
	if j.Null() {
		return nil
	}
	var o object
	if json.Unmarshal(j.Raw(), &o) != nil {
		return object{"value": j.Raw()}
	}
	return o
}

// with returns the object with the members of others, of which the last wins.
func (o object) with(others ...object) object {
	sum := object{}
	for _, other := range append([]object{o}, others...) {
		maps.Copy(sum, other)
	}
	return sum
}

// withText returns the object with a text as a member, unless the text is empty.
func (o object) withText(name ours, t safety.Text) object {
	if t.Empty() {
		return o
	}
	raw, _ := t.MarshalJSON() // never fails: a text is valid
	return o.with(object{string(name): raw})
}

// decision is what somebody decided: a cleaned value, or an object of them.
type decision struct{ raw json.RawMessage }

// decided returns a cleaned value as a decision.
func decided(j safety.JSON) decision { return decision{j.Raw()} }

// decidedIn returns the member "decision" of a call's parameters, all of them if it is missing.
func decidedIn(params safety.JSON) decision {
	if raw, ok := objectOf(params)["decision"]; ok {
		return decision{raw}
	}
	return decided(params)
}

// denied returns the decision not to do what was decided.
func denied(d decision) decision {
	return decision{jsonOf(object{"denied": d.raw})}
}

// decidedOn returns the decision to use a tool. answer is empty unless a person gave one.
func decidedOn(tool safety.Text, call, answer ours) decision {
	raw, _ := json.Marshal(struct {
		Tool   safety.Text `json:"tool"`
		Call   ours        `json:"callId"`
		Answer ours        `json:"answer,omitempty"`
	}{tool, call, answer})
	return decision{raw}
}

// MarshalJSON returns the value as it is.
func (d decision) MarshalJSON() ([]byte, error) { return d.raw, nil }

// member is a member of a cleaned object, as it is there.
type member struct{ raw json.RawMessage }

// memberOf returns a member of a cleaned object, or nothing.
func memberOf(j safety.JSON, name string) member { return member{objectOf(j)[name]} }

// MarshalJSON returns the value as it is.
func (m member) MarshalJSON() ([]byte, error) { return m.raw, nil }

// present returns the value, or nothing for null, so that its member is left out.
func present(j safety.JSON) safety.JSON {
	if j.Null() {
		return safety.JSON{}
	}
	return j
}
