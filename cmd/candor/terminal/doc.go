// Package terminal is the text interface of Candor: a conversation that shows the
// reasons as they come, and renderers of turns, threads and jobs. It knows a server
// only through [candor/web/client].
//
// # Layers
//
//   - Cleaning: [Clean], [CleanLine], [SafeJSON] and [CleanWriter]. Every word of a
//     model, a tool, a worker or a server passes through one of them before it is
//     printed.
//   - Rendering: a [Style] turns data into lines, and a [Live] turns events into lines
//     as they happen. Both are pure functions without input or output. A speech adds
//     what the model says before its step ends, and remembers what was printed of it.
//   - Following: a board knows the calls that run. It renders each once when it has ended, for
//     the live view, and what changes in place meanwhile: the region, with the foot.
//   - Screens: an [Editor] on a terminal, a [Plain] on pipes and files. Both implement
//     [Screen].
//   - Commands: a [REPL] holds a conversation on a screen, a [Tail] prints what happens.
//
// # How a turn is shown
//
// REPL.send posts the message. Its follower receives the events of the thread, and
// speech.lines renders each as it comes, most of them by Live.Lines. When the turn has ended,
// REPL.finish fetches it and Style.Block renders why each tool was called, with the same words that
// /reasoning and candor tail use. Under the live view board.lines renders the events instead, and
// nothing follows that they have said. testdata/turns/*/terminal.txt and testdata/screens hold the
// result as goldens.
//
// A call that waits for a person is asked for by REPL.ask. While it waits the prompt is another, and
// REPL.answers takes every line that is no command: none becomes a message.
//
// # Guarantees
//
// Printed text has no control character that does not come from a Style or from the
// Editor, whatever a server sends: no text can move the cursor, set a title, ring the
// bell, make a link, or reverse the direction of writing. A Style without color adds
// none at all. Long text is cut, so it costs what is shown of it.
//
// Lines keep to Style.Width, measured in cells, so wide characters and emoji align.
// Text that is not the model's own, such as a fallback, differs in form and in
// wording, with and without color.
//
// # Where to add things
//
// A command of the conversation is a row in commands (command.go) and a method in
// actions.go. A kind of event is a case in Live.Lines or Style.jobEvent (tailjob.go). A key is a row
// in keyMap (keys.go), and a case in Editor.apply if the library does not know it. What a call
// shows in the live view is made in viewOf (calllines.go).
package terminal
