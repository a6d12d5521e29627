package settings

// The value of a switch that Attach turned on. The second space says that it is ours: neither a person nor a program
// that writes JSON puts it there.
const onByUs = `:  true`

// switchOn returns settings, which have hooks, with the switch on. One that is on stays as it is.
func (h Hooks) switchOn(settings []byte) ([]byte, error) {
	l, err := layoutOf(settings)
	if err != nil {
		return nil, err
	}
	if p, there := l.root.named(h.Switch); there {
		if string(settings[p.at:p.to]) != "true" {
			return nil, fault(settings, p.at, "this turns summaries of the model's thoughts off: remove it first")
		}
		return settings, nil
	}
	return edited(settings, []edit{l.style().insert(l.root, []string{`"` + h.Switch + `"` + onByUs}, hooksDepth)}), nil
}

// switchedBack returns settings without a switch that Attach turned on. What cannot be read stays as it is.
func (h Hooks) switchedBack(settings []byte) []byte {
	l, err := layoutOf(settings)
	if err != nil || h.Switch == "" {
		return settings
	}
	drop, some := make([]bool, len(l.root.parts)), false
	for i, p := range l.root.parts {
		drop[i] = string(settings[p.from:p.to]) == `"`+h.Switch+`"`+onByUs
		some = some || drop[i]
	}
	if !some {
		return settings
	}
	cuts, _ := l.root.without(drop)
	return edited(settings, cuts)
}
