package detect

import (
	"candor/safety/internal/decode"
	"candor/safety/internal/lex"
	"candor/safety/internal/recall"
)

// Remembering returns a detector that also finds the values of a set, as matches of the rule
// with this index. It shares the rules with d. The set may grow while the detector is used.
func (d *Detector) Remembering(values *recall.Set, index int) *Detector {
	with := *d
	with.values, with.valueRule = values, index
	return &with
}

// remembers reports whether there are values to find besides what the rules find.
func (d *Detector) remembers() bool { return !d.values.Empty() }

// frame maps the offsets of a text that was decoded to the text it was found in: through a
// view, or all to the place of the encoded run.
type frame struct {
	view *decode.View
	at   int
}

// enter and leave keep the list of frames while a decoded text is read.
func (p *probe) enter(f frame) {
	if p.recalls {
		p.origin = append(p.origin, f)
	}
}

func (p *probe) leave() {
	if p.recalls {
		p.origin = p.origin[:len(p.origin)-1]
	}
}

// source returns the offset in the whole text of an offset in the text that is read.
func (p *probe) source(i int) int {
	for k := len(p.origin) - 1; k >= 0; k-- {
		if f := p.origin[k]; f.view != nil {
			i = f.view.Source(i)
		} else {
			i = f.at
		}
	}
	return i
}

// MinPiece is how many bytes of a remembered value its first piece has at least.
const MinPiece = 2

// recall appends the remembered values that s holds, in one piece or in pieces.
func (p *probe) recall(s string, buf []lex.Span) []lex.Span {
	values, index := p.detector.values, p.detector.valueRule
	for i := 0; ; {
		from, to, since := values.Next(s, recall.Plain, i)
		if to == 0 {
			break
		}
		if i = from + 1; p.source(from) >= since && !lex.InMarker(s, from) {
			buf, i = append(buf, lex.Span{From: from, To: to, Rule: index}), to
		}
	}
	v := decode.Joined(s)
	if v == nil {
		return buf
	}
	together := v.Text.String()
	for i := 0; ; {
		from, to, since := values.Next(together, recall.Joined, i)
		if to == 0 {
			return buf
		}
		start, end := v.Source(from), v.Source(to-1)+1
		whole := v.Source(from+MinPiece-1) == start+MinPiece-1 // its beginning is in one piece
		if i = from + 1; whole && end-start > to-from && p.source(start) >= since && !lex.InMarker(s, start) {
			buf, i = append(buf, lex.Span{From: start, To: end, Rule: index}), to
		}
	}
}

// recallStart moves h back to where a remembered value may begin that s does not hold the end
// of yet.
func (d *Detector) recallStart(s string, h int) int {
	h = min(h, d.values.Open(s, recall.Plain))
	if v := decode.Joined(s); v != nil {
		h = min(h, v.Source(d.values.Open(v.Text.String(), recall.Joined)))
	}
	return h
}
