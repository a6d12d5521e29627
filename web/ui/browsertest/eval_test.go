package page_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// eval returns the value of a JavaScript expression, in which each %s stands for an
// argument as JSON. A promise is awaited.
func eval[T any](w *tab, js string, args ...any) T {
	w.t.Helper()
	out, err := try[T](w, js, args...)
	require.NoError(w.t, err, js)
	return out
}

// try is eval for a page that may navigate meanwhile, which ends the evaluation with an error.
func try[T any](w *tab, js string, args ...any) (T, error) {
	w.t.Helper()
	var raw []any
	for _, a := range args {
		quoted, err := json.Marshal(a)
		require.NoError(w.t, err)
		raw = append(raw, string(quoted))
	}
	if len(raw) > 0 {
		js = fmt.Sprintf(js, raw...)
	}
	ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
}

// until waits for a JavaScript condition. While the page navigates the condition does not hold.
func (w *tab) until(what, js string, args ...any) {
	w.t.Helper()
	eventually(w.t, what, func() bool {
		ok, err := try[bool](w, "!!("+js+")", args...)
		if err != nil && !navigated(err) {
			w.t.Errorf("%s: %v: %s", what, err, js)
			return true
		}
		return err == nil && ok
	})
}

// navigated reports whether an evaluation ended because its document went away.
func navigated(err error) bool {
	return slices.ContainsFunc([]string{
		"Inspected target navigated or closed", "Execution context was destroyed", "Cannot find context",
	}, func(text string) bool { return strings.Contains(err.Error(), text) })
}
