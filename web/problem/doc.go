// Package problem holds the shape of answers that are not a success, and reading
// and writing of JSON bodies, whose failures have that shape.
package problem
