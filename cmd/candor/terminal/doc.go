// Package terminal is Candor's text interface: a conversation that shows the
// reasons as they arrive, and renderers of turns, threads and jobs. It reaches a
// server only through [candor/web/client].
//
// # Layers
//
//   - Cleaning: [Clean], [CleanLine], [SafeJSON] and [CleanWriter]. Every word of a
//     model, a tool, a worker or a server passes through one of them before it is
//     printed.
//   - Rendering: a [Style] turns data into lines, and a [Live] turns events into lines
//     as they happen. Both are pure functions without input or output. A speech
//     renders the model's text before its step ends, and remembers what was printed of
//     it.
//   - Following: a board holds the running calls. It renders each once when it has ended, for
//     the live view, and the part that changes in place meanwhile: the region, with the foot.
//   - Reading afterwards: Style.whole, Style.turns and Style.diff render parts of a page, and a pager
//     shows long ones a window at a time. Style.markdown renders answers; only package render knows
//     the parser.
//   - Screens: an [Editor] on a terminal, a [Plain] on pipes and files. Both implement
//     [Screen].
//   - Without typed input a [Scroll] prints above a region; [Tail] uses it on a
//     terminal.
//   - Commands: a [REPL] holds a conversation on a screen, a [Tail] prints events.
//
// # How a turn is shown
//
// REPL.send posts the message. Its follower receives the events of the thread, and speech.lines
// renders each as it arrives, most of them by Live.Lines. When the turn has ended, REPL.finish
// fetches it and Style.Block renders why each tool was called, with the same words as /reasoning
// and candor tail. Under the live view board.lines renders the events instead, and nothing that
// they showed is repeated. testdata/turns/*/terminal.txt and testdata/screens hold the output as
// golden files.
//
// # How a turn is read afterwards
//
// /why fetches a turn, and Style.whole renders it in parts: stepsOf groups its calls by step, and a
// board, as in the live view, determines which ran side by side. The parts go to REPL.page. An
// Editor shows them in a pager if they are longer than the window, with a screen of its own that
// disappears with it; any other screen prints them. /turns and /diff take the same way.
//
// Where the specification's wireframes contradict each other, the more specific one is followed: a batch has the line
// of section 10.2; /reasoning N in a conversation looks as in 14.4, candor reasoning THREAD N as in 7.2.
//
// Answers are Markdown. Package render parses them into blocks and spans; Style.markdown cleans
// each span, sets it in lines of words (inklines.go), and puts tables into columns (table.go).
//
// # Questions
//
// REPL.ask asks about a call that waits for a person. Meanwhile the prompt differs, and REPL.answers
// takes every line that is no command, so that none becomes a message.
//
// # Guarantees
//
// Printed text has no control character that does not come from a Style or from the
// Editor, whatever a server sends: no text can move the cursor, set a title, ring the
// bell, make a link, or reverse the direction of writing. A Style without color adds
// none at all. Long text is cut, so it costs no more than its visible part.
//
// Lines keep to Style.Width, measured in cells, so wide characters and emoji align.
// Text that the model did not write, such as a fallback, differs in form and in
// wording, with and without color.
//
// A pager takes the terminal's second screen and hides the cursor; the function that took them
// gives both back, even after a panic. Raw mode belongs to the Editor and ends with its Close,
// which the command defers.
//
// # What a page costs
//
// A pager keeps the lines of its text, which is one turn, a list of at most 500 turns, or a
// comparison of at most 500 calls of each side. It draws the text again when the width changes and
// otherwise only the window. A search term is at most 200 bytes. A Markdown text of more than 16
// KiB, and one whose tables would have more than 20,000 cells, is shown as it was written.
//
// # Names of agents
//
// The live view and /why call a sub-agent by the name in its hand-off (agents.go), and by its id if it has no
// name. The specification's forms always have ids.
//
// # Where to add things
//
// A command of the conversation is a row in commands (command.go) and a method in actions.go. A kind
// of event is a case in Live.Lines or Style.jobEvent (tailjob.go). A key is a row in keyMap
// (keys.go), and a case in Editor.apply if the library does not support it. viewOf (calllines.go)
// makes a call's lines for the live view and for /why. A kind of block in answers is a kind of
// package render and a case in Style.block (markdown.go). A key of the pager is a case in pager.key,
// and a word in pager.status if it should be displayed.
package terminal
