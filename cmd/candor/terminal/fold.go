package terminal

import (
	"fmt"
	"slices"
	"strings"
)

// foldFrom is how many calls of one tool in one batch are shown as one.
const foldFrom = 3

// foldViews returns what to show of calls of one tool that ran side by side. Calls that did
// not go well stand alone; the others are one if they are at least foldFrom.
func foldViews(calls []*boardCall) []callView {
	// Calls side by side take as long as the longest of them.
	var alone, usual []callView
	var took int64
	for _, c := range calls {
		v := c.view()
		if v.sign == "✓" {
			usual = append(usual, v)
			if c.call.DurationMS != nil {
				took = max(took, *c.call.DurationMS)
			}
			continue
		}
		alone = append(alone, v)
	}
	if len(usual) < foldFrom {
		views := make([]callView, len(calls))
		for i, c := range calls {
			views[i] = c.view()
		}
		return views
	}
	return append(alone, folded(usual, tookMS(took)))
}

// folded makes one of several calls of a tool. The first reason stands for all.
func folded(views []callView, took string) callView {
	v := views[0]
	v.times, v.took = len(views), took
	// From the last to the first, so that the first reason is the one that stays.
	reasons, objects := 0, []string{}
	for i, other := range slices.Backward(views) {
		if other.whyInk == ownInk {
			v.why, v.whyInk = other.why, other.whyInk
			reasons++
		}
		if i < 4 && other.object != "" {
			objects = append(objects, fit(other.object, 40))
		}
	}
	switch {
	case reasons == 0 && strings.HasPrefix(v.why, "no reason"):
		v.why = fmt.Sprintf("%s (%d times)", v.why, len(views))
	case reasons == 2:
		v.why += "  (1\u00a0more\u00a0reason)"
	case reasons > 2:
		v.why += fmt.Sprintf("  (%d\u00a0more\u00a0reasons)", reasons-1)
	}
	// Four objects tell what kind of things they are; the number is beside the tool.
	slices.Reverse(objects)
	if v.object = strings.Join(objects, ", "); len(views) > 4 && v.object != "" {
		v.object += ", …"
	}
	if same := slices.IndexFunc(views, func(o callView) bool { return o.result != v.result }) < 0; !same {
		v.result = sumOf(views)
	}
	return v
}

// sumOf sums up the results of folded calls: how much they returned in all where each says
// a number of the same thing.
func sumOf(views []callView) string {
	total, unit := 0, ""
	for _, v := range views {
		var n int
		var of string
		if got, _ := fmt.Sscanf(strings.ReplaceAll(v.result, ",", ""), "%d %s", &n, &of); got != 2 {
			return "all done"
		}
		if !strings.HasSuffix(of, "s") {
			of += "s"
		}
		if unit != "" && of != unit {
			return "all done"
		}
		total, unit = total+n, of
	}
	return count(total) + " " + unit
}
