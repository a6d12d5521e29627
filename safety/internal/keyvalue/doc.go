// Package keyvalue finds a value beside a name: password=..., "apiKey": "...", the
// token is ..., <Token>...</Token>.
//
// [Rule] is the one rule. At a keyword it reads the whole name and asks
// [KindOfKey] what the name promises, then what joins the name to a value
// ([ReadOperator]), then the value ([ReadValue]), and last whether the value is
// plausible as a credential (plausible.go), or rather code, a path, a placeholder
// or a word (codelike.go). The name and the operator decide how much the value has
// to prove: under password nearly anything counts, under key only what looks
// random.
//
// Package safety uses the same judgement for the keys of JSON objects.
package keyvalue
