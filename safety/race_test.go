//go:build race

package safety

// WithRaceDetector says that this test binary has the race detector.
const WithRaceDetector = true
