// Package injection has the rules for text that is meant to steer a model or a
// page: role markers and chat-template tokens, the ends of a tool's output, active
// markup and images that carry data away, and orders to ignore one's instructions.
//
// What could end a turn or run on a page is neutralised by one visible backslash
// (the action Sanitize). Orders are only reported, since honest text quotes them.
package injection
