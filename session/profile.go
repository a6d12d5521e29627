package session

import "candor/safety"

// Profile says who an agent is, for people: its name, the model that it asks and the effort of reasoning that
// the model is told to make. What nobody said is empty.
type Profile struct{ Name, Model, Effort safety.Text }

// Words returns the profile in a line, such as "helper (gpt-5-mini, effort high)". An agent without a name has
// the given id.
func (p Profile) Words(id string) string {
	words := p.Name.String()
	if words == "" {
		words = id
	}
	about := p.Model.String()
	if effort := p.Effort.String(); effort != "" {
		if about != "" {
			about += ", "
		}
		about += "effort " + effort
	}
	if about == "" {
		return words
	}
	return words + " (" + about + ")"
}
