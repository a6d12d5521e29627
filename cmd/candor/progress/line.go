package progress

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// unknownWidth is the width of a window that does not tell.
	unknownWidth = 80
	// shortestBar and longestBar are lengths of the bar itself, in cells.
	shortestBar, longestBar = 8, 40
)

// figures are what a line says.
type figures struct {
	what        string
	done, total int64   // bytes; a total of 0 is unknown
	rate        float64 // bytes a second
	took        time.Duration
}

// line returns the figures in a line that is narrower than the window: the most that fits.
func (f figures) line(width int) string {
	if width <= 0 {
		width = unknownWidth
	}
	room := width - 1 // many terminals break a line that fills the last cell
	if f.total > 0 {
		tail := "  " + join(f.share(), size(f.done)+" of "+size(f.total), f.speed(), f.left())
		if cells := room - utf8.RuneCountInString("  "+f.what+" "+tail); cells >= shortestBar {
			return "  " + f.what + " " + f.bar(min(cells, longestBar)) + tail
		}
	}
	for _, form := range [][]string{
		{f.share(), f.amount(), f.speed(), f.left()},
		{f.share(), f.speed(), f.left()},
		{f.share(), f.left()},
	} {
		if text := "  ⋯ " + f.what + "  " + join(form...); utf8.RuneCountInString(text) <= room {
			return strings.TrimRight(text, " ")
		}
	}
	text := []rune("  ⋯ " + f.what)
	return string(text[:min(len(text), room)])
}

// bar returns the share as a bar of so many cells.
func (f figures) bar(cells int) string {
	full := int(min(f.done, f.total) * int64(cells) / f.total)
	return strings.Repeat("━", full) + strings.Repeat("─", cells-full)
}

// share returns how much of the total is done, "" if that is unknown. What grew meanwhile is never more than all.
func (f figures) share() string {
	if f.total <= 0 {
		return ""
	}
	return fmt.Sprintf("%3.0f %%", 100*float64(min(f.done, f.total))/float64(f.total))
}

// amount returns how much is done, "" if nothing was counted.
func (f figures) amount() string {
	switch {
	case f.total > 0:
		return size(f.done) + " of " + size(f.total)
	case f.done > 0:
		return size(f.done)
	}
	return ""
}

// speed returns the rate, "" if nothing moves.
func (f figures) speed() string {
	if f.rate <= 0 {
		return ""
	}
	return size(int64(f.rate)) + "/s"
}

// left returns how long the rest takes at this rate, and how long it took so far if the rest is unknown.
func (f figures) left() string {
	switch {
	case f.total <= 0:
		return clock(f.took)
	case f.rate <= 0 || f.done >= f.total:
		return ""
	}
	return clock(time.Duration(float64(f.total-f.done)/f.rate*float64(time.Second))) + " left"
}

// join joins the parts that say something.
func join(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, "  ")
}

// size returns a number of bytes as people read it: 512 B, 2.1 kB, 48 MB.
func size(n int64) string {
	f, unit := float64(n), "B"
	for _, next := range []string{"kB", "MB", "GB", "TB"} {
		if f < 999.5 {
			break
		}
		f, unit = f/1000, next
	}
	if unit != "B" && f < 9.95 {
		return fmt.Sprintf("%.1f %s", f, unit)
	}
	return fmt.Sprintf("%.0f %s", f, unit)
}

// clock returns a time in whole seconds: 12 s, 4:12, 1:02:03. What takes longer than a hundred hours is not
// counted in seconds.
func clock(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	case s < 360_000:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return "days"
}
