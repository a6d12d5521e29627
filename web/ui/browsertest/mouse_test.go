package page_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// mouse lets a browser have a mouse, which none has that runs without a screen: something that hovers and points
// finely.
var mouse = chromedp.Flag("blink-settings",
	"primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4")

// windowWithMouse is window in a browser of its own that has a mouse.
func windowWithMouse(t *testing.T) *tab {
	t.Helper()
	options, err := browserOptions()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewExecAllocator(context.Background(), append(options, mouse)...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return watch(t, ctx)
}

// touch lets a tab have fingers in place of the mouse.
func (w *tab) touch() {
	w.t.Helper()
	_, err := chromedp.Call(w.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: true})
	require.NoError(w.t, err)
}
