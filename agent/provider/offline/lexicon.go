package offline

import "strings"

// concept is a group of words that ask for much the same. The words are general
// English; which tools there are plays no part in them.
type concept string

const (
	cFind   concept = "find"
	cSave   concept = "save"
	cList   concept = "list"
	cRead   concept = "read"
	cCreate concept = "create"
	cSend   concept = "send"
	cDelete concept = "delete"
	cChange concept = "change"
	cRun    concept = "run"
	cTime   concept = "time"
	cMemory concept = "memory"
	cFile   concept = "file"
	cWeb    concept = "web"
)

// verbs are the words that open a request, by what they ask for; nouns only say
// what it is about.
var (
	verbs = map[concept]string{
		cFind:   "find search grep look locate seek lookup query contain mention hold occur match use define declare recall",
		cSave:   "save remember store keep memorize memorise note record jot",
		cList:   "list ls enumerate dir",
		cRead:   "read open show cat print view display get fetch load see",
		cCreate: "create make add write new start",
		cSend:   "send post mail email message notify tell",
		cDelete: "delete remove drop erase rm",
		cChange: "update change edit set modify rename replace",
		cRun:    "run execute call start launch",
	}
	nouns = map[concept]string{
		cList:   "listing",
		cTime:   "time clock date day weekday hour today now o'clock timezone datetime",
		cMemory: "memory remember note recall memo",
		cFile:   "file folder directory dir workspace document",
		cWeb:    "web url website page internet http link",
	}
	meanings = lexicon(verbs, nouns)
	asVerb   = lexicon(verbs)
	asNoun   = lexicon(nouns)
)

// lexicon turns the tables around: the concepts of each stem.
func lexicon(tables ...map[concept]string) map[string]map[concept]bool {
	out := map[string]map[concept]bool{}
	for _, table := range tables {
		for c, words := range table {
			for w := range strings.FieldsSeq(words) {
				if out[stem(w)] == nil {
					out[stem(w)] = map[concept]bool{}
				}
				out[stem(w)][c] = true
			}
		}
	}
	return out
}

// stem is the part of a word that its forms share, near enough: find for
// finding, stor for store and stored.
func stem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "'")
	switch {
	case len(w) > 5 && strings.HasSuffix(w, "ing"):
		w = undouble(w[:len(w)-3])
	case len(w) > 4 && strings.HasSuffix(w, "ies"):
		w = w[:len(w)-3] + "y"
	case len(w) > 4 && strings.HasSuffix(w, "ed"):
		w = undouble(w[:len(w)-2])
	case len(w) > 4 && (strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes")):
		w = w[:len(w)-2]
	case len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss"):
		w = w[:len(w)-1]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// undouble takes back the letter that an ending doubled, as in running.
func undouble(w string) string {
	n := len(w)
	if n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
		return w[:n-1]
	}
	return w
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

var (
	// fillers stand before what is asked.
	fillers = set(`please also kindly just first now ok okay hey hi hello well so and or but then next finally to
		let's lets me us quickly maybe good morning evening`)
	fillerPhrases = []string{
		"i would like you to", "i would like to", "i'd like you to", "i'd like to", "i want you to", "i need you to",
		"we would like to", "i would like", "i want to", "i need to", "we want to", "we need to", "can you", "could you",
		"would you", "will you", "can we", "could we", "can i", "may i", "you should", "i'd like", "i want", "i need",
		"we need", "let me know", "let me", "let us", "tell me", "give me", "help me",
	}
	questions = set(`what what's whats which where where's who who's when when's how how's why is are do does did
		has have was were`)
	// pronouns open a statement unless something makes it a question.
	pronouns = set(`i i'm i've we we're it it's its this that that's these those my our your you you're he she they
		there there's thanks thank cheers nice great cool`)
	// places are too general to be the name of one.
	places = set(`workspace repo repository project root here there it them general detail full total order case
		everything everywhere tree codebase code all memory notes mind this that any which what`)
	// empty words carry no meaning of their own.
	empty = set(`a an the this that these those it its it's them they i i'm me my mine we our us you your he she
		his her is are was were be been am do does did has have had can could would will shall should may might
		must to of in on at for from with by as into about over under inside within through across and or but if
		then so not no please also just now here there what what's whats which who when where how why all any some
		each every one ones first last next again ok okay hello hi hey thanks thank let let's want need like tell
		give help know say said up out there's where's who's more much many very too only everything anything
		something regarding concerning word words phrase text string`)
	prepositions = set("in under inside within from through across of at on for to with by about as")
	articles     = set("the a an my our your this that its their")
	folderNouns  = set("folder folders directory directories dir package module subfolder subdirectory")
	fileNouns    = set("file document")
	vague        = set("code codebase repo repository project workspace memory notes note remember recall remembered told my our")
	fileWords    = set("file files folder folders directory directories dir package module document documents " +
		"subfolder subdirectory line lines place places match matches result results occurrence occurrences")
)
