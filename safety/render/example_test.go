package render_test

import (
	"fmt"

	"candor/safety"
	"candor/safety/render"
)

func ExampleHTML() {
	text, _ := safety.NewLayer().Clean("if a < b, read Vec<String>")
	fmt.Println(render.HTML(text))
	// Output:
	// if a &lt; b, read Vec&lt;String&gt;
}

func ExampleMarkdown() {
	text, _ := safety.NewLayer().Clean("See *both*: [here](/logout) and <b>there</b>.")
	fmt.Println(render.Markdown(text))
	// Output:
	// <p>See <em>both</em>: [here](/logout) and &lt;b&gt;there&lt;/b&gt;.</p>
}
