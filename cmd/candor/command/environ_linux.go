package command

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// hideMemory hides the keys of this process from other processes of the same user, such as
// the commands and MCP servers that it starts.
//
// A process reads the environment of another in /proc/PID/environ, which shows the memory
// that the kernel filled when the process started, and which os.Unsetenv does not change.
// hideMemory overwrites that memory; os.Getenv works as before, since Go has copies. It also
// makes the process undumpable: only root may then read its memory or trace it. Processes
// with the capability CAP_SYS_PTRACE, and those that could trace it from its first
// instruction, are not kept out.
func hideMemory() error {
	return errors.Join(overwriteEnviron(), makeUndumpable())
}

// overwriteEnviron writes zeros over the environment that the kernel shows of this process.
// It has to run before makeUndumpable, after which only root may open the file.
func overwriteEnviron() error {
	start, end, err := environRange()
	if err != nil {
		return err
	}
	mem, err := os.OpenFile("/proc/self/mem", os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer mem.Close()
	_, err = mem.WriteAt(make([]byte, end-start), start)
	return err
}

// environRange returns where the kernel placed the environment: the fields env_start and
// env_end of /proc/self/stat, which are the 50th and 51st.
func environRange() (start, end int64, err error) {
	raw, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, 0, err
	}
	// The second field is the program's name in parentheses, which may contain anything.
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	if len(fields) < 49 {
		return 0, 0, errors.New("/proc/self/stat does not say where the environment is")
	}
	start, err = strconv.ParseInt(fields[47], 10, 64)
	if err == nil {
		end, err = strconv.ParseInt(fields[48], 10, 64)
	}
	if err != nil || start == 0 || end < start {
		return 0, 0, errors.New("/proc/self/stat does not say where the environment is")
	}
	return start, end, nil
}

// makeUndumpable makes the memory of this process and its files in /proc readable for root
// only. Programs that it starts are not affected.
func makeUndumpable() error {
	const prSetDumpable = 4
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0); errno != 0 {
		return fmt.Errorf("prctl: %w", errno)
	}
	return nil
}
