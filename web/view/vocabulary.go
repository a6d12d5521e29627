package view

import (
	"slices"
	"strings"
)

// stopWords stand in questions and say nothing about what is looked for. A word that names what a tool
// does, such as run or delete, is none, nor is one that tells one time from another, such as first.
var stopWords = wordSet(`a an and any are as at be because been but by can could did do does doing done for from had
	has have he her here him his how i if in into is it its just me my no not of off on or our out please say says said
	she should so some than that the their them then there these they thing things this those to up us was we were what
	when where which while who whom whose why will with would you your about after again all also before being get got
	happened happen happens happening agent model tool tools call called calls ever tell show me find found`)

// synonyms are groups of words that name one thing in different tools. Each finds the others as near
// matches.
var synonyms = groups(
	"delete remove rm drop erase unlink clear clean discard throw wipe purge",
	"run execute exec bash shell command",
	"read open view cat",
	"edit change modify patch update rewrite",
	"write create save add",
	"search grep look query seek",
	"fetch download request http curl",
	"send mail email notify announce announcement",
	"customer client",
	"old legacy deprecated obsolete",
	"history log commit",
	"library dependency",
	"delegate ask review reviewer",
	"deploy release ship publish rollout",
	"upgrade bump update",
	"fail failure failed error broken red",
	"deny denied reject rejected refuse refused forbid block blocked",
	"stop cancel cancelled interrupt",
)

// weakWords say how somebody asks rather than what about. They decide between hits that are equal otherwise.
var weakWords = wordSet(`actually already allowed allow because care come comes decide decided else first go hunting
	hunt idea keep kept know knew known let like look looked looking made make makes making need needed now
	once place reason really right since somebody someone sometime start started still take taken think
	thought trust try tried trying understand use used uses want wanted wants whole work`)

// irregular has the forms of verbs whose past no ending tells.
var irregular = groups(
	"begin began begun", "break broke broken", "bring brought", "build built",
	"choose chose chosen",
	"go went gone goes", "keep kept", "leave left", "lose lost", "make made", "read", "run ran", "see saw seen",
	"send sent", "take took taken", "throw threw thrown", "write wrote written",
)

// wordSet returns the words of a text as a set.
func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		set[w] = true
	}
	return set
}

// groups returns for each word the others of its groups.
func groups(lists ...string) map[string][]string {
	table := map[string][]string{}
	for _, list := range lists {
		words := strings.Fields(list)
		for _, w := range words {
			for _, other := range words {
				if other != w && !slices.Contains(table[w], other) {
					table[w] = append(table[w], other)
				}
			}
		}
	}
	return table
}
