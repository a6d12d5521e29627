package injection

import (
	"strings"

	"candor/safety/internal/lex"
)

// The roles of a word in a sentence that tells a model to drop its instructions. A
// word may have several.
const (
	fillsClause          lex.WordKind = 1 << iota // may appear between the others
	pointsBack                                    // previous, above: says which instructions
	pointsWidely                                  // all, your: says which, less surely
	isInstruction                                 // instructions, rules
	isMessage                                     // text, input: part of a conversation, but hardly an instruction
	pointsBackForeign                             // previous or all, in other languages
	isInstructionForeign                          // instructions, in other languages
	isSubject                                     // who does it, before the verb: a report, not an order
)

var clauseWords = lex.NewVocabulary(map[lex.WordKind]string{
	fillsClause:  "all any every each of the your these those and or such other this that entire whole",
	pointsBack:   "previous prior above earlier preceding foregoing initial original former aforementioned past",
	pointsWidely: "all any system your everything these every",
	isInstruction: "instruction instructions prompt prompts rules guideline guidelines directive directives told " +
		"constraints command commands guidance orders",
	isMessage: "content contents text context conversation input inputs data message messages communication " +
		"communications response responses request requests",
	pointsBackForeign: "alle allen aller vorherigen bisherigen obigen vorigen früheren vorangegangenen toutes tous " +
		"précédentes précédents antérieures dessus todas todos anteriores previas previos arriba acima prévias tutte " +
		"tutti precedenti sopra vorige eerdere bovenstaande wszystkie poprzednie alla tidigare semua sebelumnya",
	isInstructionForeign: "anweisungen anweisung instruktionen befehle vorgaben regeln instructions consignes " +
		"directives ordres règles instrucciones órdenes reglas indicaciones instruções ordens regras istruzioni " +
		"regole direttive comandi indicazioni instructies regels opdrachten instrukcje polecenia instruktioner " +
		"instruksi perintah",
	isSubject: "i we to can could will would ll may might it they that which who not",
})

// clause records the words read so far of the sentence after a verb.
type clause struct {
	strict   bool         // nothing but words of the grammar so far
	previous bool         // a word that points back
	all      bool         // a word that points widely
	rules    bool         // a word for instructions
	foreign  lex.WordKind // the foreign words so far
}

// word is the word s[from:to] of a clause, whose verb starts at verb.
type word struct {
	s              string
	from, to, verb int
	kind           lex.WordKind
}

// read takes the next word of the clause and reports whether the clause now orders to
// drop instructions.
func (c *clause) read(w *word) bool {
	w.kind = clauseWords.Kind(w.s[w.from:w.to])
	if w.kind == 0 {
		c.strict = false
		return false
	}
	c.foreign |= w.kind & (pointsBackForeign | isInstructionForeign)
	if c.isForeign() || c.namesInstructions(w) || c.pointsAtInstructions(w) || c.demandsRestart(w) ||
		c.dropsMessage(w) || c.dropsInstructions(w) {
		return true
	}
	c.previous = c.previous || w.kind&pointsBack != 0
	c.all = c.all || w.kind&pointsWidely != 0
	c.rules = c.rules || w.kind&isInstruction != 0
	c.strict = c.strict && w.kind&(fillsClause|pointsBack) != 0
	return false
}

// isForeign holds for "alle bisherigen Anweisungen": both foreign words, in any order.
func (c *clause) isForeign() bool { return c.foreign == pointsBackForeign|isInstructionForeign }

// namesInstructions holds at the end of "all previous instructions", "your rules". It
// once held for "skip all commands", which is about a shell.
func (c *clause) namesInstructions(w *word) bool {
	if w.kind&isInstruction == 0 || !c.previous && !c.all {
		return false
	}
	return c.previous || !lex.EqualFold(w.s[w.from:w.to], "commands")
}

// pointsAtInstructions holds at the end of "the instructions above".
func (c *clause) pointsAtInstructions(w *word) bool { return w.kind&pointsBack != 0 && c.rules }

// demandsRestart holds at "the text" in "the text and start over".
func (c *clause) demandsRestart(w *word) bool {
	return w.kind&(isInstruction|isMessage) != 0 && c.strict && restarts(w.s, w.to)
}

// dropsMessage holds at the end of the order "ignore the previous message". It once
// held for "skip the earlier request handler" and "I skip the previous message".
func (c *clause) dropsMessage(w *word) bool {
	return w.kind&isMessage != 0 && c.strict && c.previous && endsPhrase(w.s, w.to) && isOrder(w.s, w.verb)
}

// dropsInstructions holds at the end of the orders "disregard the rules" and "do not
// obey the rules". Their verbs need no word that says which.
func (c *clause) dropsInstructions(w *word) bool {
	if w.kind&isInstruction == 0 || !c.strict {
		return false
	}
	first := lex.ToLower(w.s[w.verb])
	return (first == 'd' || first == 'n') && endsPhrase(w.s, w.to) && isOrder(w.s, w.verb)
}

// restarts reports whether "and start over" or the like is at i.
func restarts(s string, i int) bool {
	rest := strings.ToLower(s[i:min(len(s), i+32)])
	rest = strings.TrimLeft(rest, " \n\t,;")
	rest, ok := strings.CutPrefix(rest, "and ")
	for _, tail := range restartTails {
		if ok && strings.HasPrefix(rest, tail) {
			return true
		}
	}
	return false
}

// restartTails follow "and" where a model is told to begin again.
var restartTails = [...]string{
	"start over", "start anew", "start afresh", "start from scratch", "begin afresh", "begin anew", "begin again",
	"restart",
}

// endsPhrase reports whether the noun that ends at i is the last of its phrase, rather
// than part of a longer name such as data loader or input_file.
func endsPhrase(s string, i int) bool {
	for i < len(s) && lex.IsSpaceAt(s, i) {
		i++
	}
	if i >= len(s) || !isWordByte(s[i]) {
		return i >= len(s) || s[i] != '-' && s[i] != '_' && s[i] != '('
	}
	return afterPhrase.Has(s[i:lex.Classes['z'].Run(s, i, 16)])
}

// afterPhrase are words that may follow the object of an order.
var afterPhrase = lex.WordSet("and or but you i we given from that which in to then now instead because as so above " +
	"before completely entirely please")

// isOrder reports whether the verb that starts at verb is an order: no subject and no
// auxiliary appears before it, as in "I skip" or "can ignore".
func isOrder(s string, verb int) bool {
	i := verb
	for _, head := range [...]string{"pay ", "do "} { // pay no attention to, do not follow
		if lex.HasFold(s, i-len(head), head) {
			i -= len(head)
		}
	}
	for i > 0 && i > verb-8 && (s[i-1] == ' ' || s[i-1] == '\n' || s[i-1] == '\'') {
		i--
	}
	return i == 0 || !lex.IsLetter(s[i-1]) || clauseWords.Kind(s[lex.Classes['z'].Back(s, i, 16):i])&isSubject == 0
}
