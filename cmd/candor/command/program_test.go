package command_test

import (
	"testing"

	"candor/cmd/candor/apptest/program"
	"candor/cmd/candor/command"
)

// serve starts candor serve in this process, so that the coverage of the tests counts it and a goroutine that it leaves
// behind is found.
func serve(t *testing.T, flags ...string) *program.Running {
	t.Helper()
	return program.ServeIn(t, command.Run, flags...)
}
