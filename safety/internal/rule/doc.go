// Package rule defines what a rule is, and the language its formats are written
// in.
//
// A [Rule] has keywords, literals of which every match holds one, and a [Matcher]
// that is asked at each place where one stands, and that reads only the
// neighbourhood. Most rules are made from a format: ghp_{a36} is ghp_ and then 36
// letters or digits ([Token], [LooseToken], [ExactToken], [FoldToken],
// [RandomToken], [Link]). A rule carries the proof of itself: Hits are templates of
// texts it has to find, Misses are texts it has to leave alone.
//
// Where two rules find overlapping parts of a text, the one of the higher
// [Specificity] gives the marker its name. An [Action] is what is done about a
// match. To add a rule, add it to package secrets or injection.
package rule
