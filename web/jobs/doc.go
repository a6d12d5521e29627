// Package jobs serves the routes of jobs, for the users that open them and the
// workers that work on them.
package jobs
