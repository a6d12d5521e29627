// Package rule defines detection rules, and the language for the formats of tokens.
//
// # Rules
//
// A [Rule] has keywords, literals of which every match contains one. Package prefilter
// finds them all in one pass over a text, and the detector calls the rule's [Matcher]
// at each. The matcher examines only the neighbourhood of the keyword and returns the
// part to mask. The [Severity] says what happens to that part: low and medium leave it
// in the text, high masks it, critical withholds the text. Where matches of several rules
// overlap, the rule with the highest [Specificity] names the marker.
//
// # Formats
//
// Most rules are made from formats, by [Token] and its variants. A format consists of
// literals and of runs, which are a class and a length in braces:
//
//	ghp_{a36}                    ghp_ and 36 letters or digits
//	sk-ant-{k40+}                40 word characters or more
//	{a14}<.atlasv1.>{k60-70}     a run on either side of a keyword
//
// [lex.Classes] lists the letters that name a class. {c n} is a run of n bytes, {c n-m}
// one of n to m bytes and {c n+} one of at least n bytes. The keyword is the part in <>,
// or else the leading literal. It has at least three bytes, or two with a run after
// them. A match is followed to the end of its last run, so that a longer token than
// expected is masked as a whole; use [ExactToken] where a longer run is something else.
//
// # Proof
//
// A rule carries the evidence that it works. Hits are templates of texts that it must
// find: {a36} in a template stands for 36 random letters and digits, which package
// ruletest fills in, so that the source contains no string that looks like a live
// credential. Misses are texts that the rule must leave alone, usually false positives
// that it once had. Tests of package safety check both for every rule.
//
// # Adding a rule
//
// Add the rule to the table of package secrets, or of injection if it is about what a
// text makes an agent do. Prefer a format to a matcher, and a longer keyword to a
// shorter one. Add a miss for each text that the format might match by accident.
package rule
