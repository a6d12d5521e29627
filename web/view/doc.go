// Package view projects sessions onto the JSON that the API answers with: turns,
// threads, jobs, search results, and the frames of event streams. It is pure and
// knows nothing of HTTP.
package view
