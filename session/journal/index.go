package journal

// Index finds the turns and jobs of one session that have words. It is made from the session's log, so it may be
// lost, and is then made anew. All methods are safe for concurrent use.
type Index interface {
	// Put records turns and jobs, each in the place of what the index has of it, and that it has what happened
	// up to an event. It returns how much memory the index takes, 0 if it is in a file.
	Put(docs []IndexDoc, through uint64) (size int, err error)
	// Find returns the latest turns and jobs with most of the terms.
	Find(q IndexQuery) (IndexFound, error)
	// Erase removes a thread's turns up to a number, or all of a thread or job if that is 0. When it
	// returns, their bytes are in none of the index's files. It returns what Put does.
	Erase(place string, through int) (size int, err error)
}

// OpenedIndex is an index that its opener closes, and up to which event of the log it has what happened.
type OpenedIndex struct {
	Index
	Through uint64
	Close   func() error
}

// IndexRef names a turn, by its thread and number, or a job, whose number is 0.
type IndexRef struct {
	Place  string
	Number int
}

// IndexDoc is what an index has of a turn or a job. Words have letters and digits in lower case only.
type IndexDoc struct {
	IndexRef
	Strong, Weak     []string // the words of what was done and why, and the others
	Facets           []string // values that a query may ask for, of letters and digits
	Decisions, Texts int      // that there are to be found
}

// IndexTerm is something to look for.
type IndexTerm struct {
	// Any has lists of words, of which one has to be there completely. A word with a star at its end stands for
	// all that begin with it.
	Any [][]string
	// Near reports whether a word stands for the term where nothing has any of the lists.
	Near func(word string) bool
}

// IndexQuery says what to find: what has most of the terms, and of each group of facets any value.
type IndexQuery struct {
	Terms  []IndexTerm
	Facets [][]string
	Limit  int
}

// IndexFound is what an index finds, the best first, how much there is in it, and up to which event it has what
// happened. More says that there is more than the limit of the query.
type IndexFound struct {
	Refs             []IndexRef
	More             bool
	Through          uint64
	Decisions, Texts int
}
