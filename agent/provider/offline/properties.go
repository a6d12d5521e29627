package offline

import (
	"maps"
	"slices"
)

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
