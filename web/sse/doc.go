// Package sse serves server-sent events, and defines the cursors that are their ids.
package sse
