//go:build race

package safety_test

// withRaceDetector says that this test binary has the race detector.
const withRaceDetector = true
