// Package prefilter finds the positions of a text where a keyword of some rule may
// begin, much faster than by comparing the text with each of several hundred keywords.
//
// # Trigrams
//
// The filter works on trigrams: three adjacent bytes with case folded. [New] files each
// [Keyword] under one of its trigrams, chosen to be rare in prose and code. The counts
// are in grams.txt, which the command `compare grams` of safety/oracle makes from a large
// body of documents and sources; run it again if the rules come to cover very different
// texts. A worse table makes the filter slower, never wrong.
//
// # Scanning
//
// [Filter.Scan] hashes every other trigram of the text and looks each hash up in a table
// of 64 Ki entries. An entry has three flags: a keyword may be filed under the trigram
// before this one, under this one, or under the one after it. The flags of 32 trigrams
// make a mask of 64 positions without a branch, and only positions whose bit is set are
// looked at again. Ordinary text has few of these candidates.
//
// A candidate is not yet a keyword. The caller takes the keywords in the candidate's
// bucket from [Filter.KeywordsAt], compares each with [Keyword.Matches], and asks
// [Context.Fits] about the bytes around it. The filter reports false candidates, but it
// never misses a keyword that appears in its context.
//
// # SIMD
//
// Built with GOEXPERIMENT=simd for amd64, scan_simd.go computes eight hashes at a time on
// machines with AVX2; [Vectors] reports whether it does. scan_scalar.go is its twin in
// every other build. Both give the same masks, which scan_simd_test.go verifies, so a
// change of the hash or the layout of a mask must be made in scan.go and scan_simd.go. Filtering with vectors alone, by
// sets of nibbles, was measured to be slower than the table, and took four times the code.
package prefilter
