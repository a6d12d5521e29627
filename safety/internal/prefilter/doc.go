// Package prefilter tells quickly where in a text a keyword of some rule may
// stand.
//
// Each [Keyword] is filed under one of its trigrams, three bytes with case folded,
// chosen to be rare in prose and code (grams.txt has the counts). [Filter.Scan]
// hashes the trigrams of a text and looks each up in a table of 64 Ki entries; an
// entry also says whether the trigram before or behind has to be a keyword's, so
// ordinary text gives few candidates. It never misses a keyword with its [Context].
// The caller then asks [Filter.KeywordsAt] and [Keyword.Matches].
//
// Built with GOEXPERIMENT=simd for amd64, eight hashes are made at a time
// (scan_simd.go), and the same candidates are found; [Vectors] tells which it is.
package prefilter
