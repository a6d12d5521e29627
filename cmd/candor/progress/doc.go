// Package progress shows the progress of a long operation on a terminal:
//
//	scanning ━━━━━━━━━━━━──────────────  45 %  1.2 GB of 2.6 GB  48 MB/s  29 s left
//
// [Start] begins a [Bar]. The operation also writes the bytes that it reads or writes to the Bar, by [io.TeeReader] or
// [io.MultiWriter], and the Bar counts them. [Bar.Done] removes the line.
//
// # Guarantees
//
//   - Nothing is written to an output that is not a terminal, or to a terminal that cannot erase a line (TERM=dumb), so
//     that logs and pipes stay free of control sequences.
//   - Nothing is shown during the first second, so that short operations do not flash a line.
//   - The line fits the current width of the window. In a narrow window the bar is left out first, then the sizes, then
//     the rate.
//   - After Done the line is gone, and nothing more is written.
//   - Only measured figures are shown: without a total there is no share and no remaining time, and before the first
//     byte no rate.
//
// A bar has one goroutine, which Done stops and awaits. line.go composes the line by a pure function of the figures and
// the width; bar.go counts and draws. Add a new figure to line.go and to one of its forms, which are listed from the
// fullest to the shortest.
package progress
