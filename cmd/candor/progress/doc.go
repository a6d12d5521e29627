// Package progress shows on a terminal how far something is that takes long:
//
//	scanning ━━━━━━━━━━━━──────────────  45 %  1.2 GB of 2.6 GB  48 MB/s  29 s left
//
// [Start] begins a [Bar]. What is read or written is written to it as well, by [io.TeeReader] or
// [io.MultiWriter], and it counts. [Bar.Done] takes the line away.
//
// # Guarantees
//
//   - Nothing is written where the output is no terminal, or one that cannot erase a line (TERM=dumb), so that
//     logs and pipes stay free of control sequences.
//   - Nothing is shown during the first second, for a line that flashes up is noise.
//   - The line fits the window as it is at that moment. In a narrow one the bar goes first, then the sizes.
//   - After Done nothing of it is on the screen, and nothing is written any more.
//   - Only what has been measured is said: without a total there is neither a share nor a time left, and before
//     anything moves no rate.
//
// A bar has one goroutine, which Done stops and awaits. The words of a line are put together in line.go, by a pure
// function of the figures and the width; bar.go counts and draws. A new figure belongs in line.go, and in one of its
// forms, from the most to the least that is said.
package progress
