package safety

import (
	"encoding/binary"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// dumpForm is how a program writes a dump: an offset, if offset is not empty, and cells of size bytes.
type dumpForm struct {
	offset, cell  string
	size, columns int
	little        bool
	column        string // of text, behind the cells
}

// write writes text as the program would.
func (f dumpForm) write(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i += f.columns {
		line := text[i:min(i+f.columns, len(text))]
		if f.offset != "" {
			fmt.Fprintf(&b, f.offset, i)
		}
		for k := 0; k < len(line); k += f.size {
			fmt.Fprintf(&b, f.cell, f.value(line[k:min(k+f.size, len(line))]))
		}
		if f.column != "" {
			fmt.Fprintf(&b, f.column, strings.ReplaceAll(line, "\n", "."))
		}
		b.WriteByte('\n')
	}
	if f.offset != "" && f.column == "" {
		fmt.Fprintf(&b, strings.TrimRight(f.offset, " :")+"\n", len(text))
	}
	return b.String()
}

func (f dumpForm) value(part string) uint64 {
	word := make([]byte, 8)
	if f.little {
		copy(word, part)
		return binary.LittleEndian.Uint64(word)
	}
	copy(word[8-len(part):], part)
	return binary.BigEndian.Uint64(word)
}

// config is a file with a password that needs more than one line of a dump.
func config() string {
	return "user=ann\nhost=example\npassword=" + "Qx7Tm2Vb9" + "Ld4Rk8Ws1Zp6Hn3J" + "\nport=80\n"
}

// assertDumpMasked holds that nothing of a dump comes out but its first offset, in whatever pieces it comes.
func assertDumpMasked(t *testing.T, dump string) {
	t.Helper()
	l := NewLayer()
	text := "It is {\n" + dump + "} in all\nand so on."
	out, report := l.Mask(text)
	require.Equal(t, Redacted, report.Verdict, "%s", text)
	assert.Less(t, len(out.String()), 90, "%s", out)
	for _, size := range []int{1, 7} {
		joined, _, _ := streamed(l, text, size)
		assert.Equal(t, out.String(), joined, "in pieces of %d", size)
	}
}

func TestASecretInADumpIsMasked(t *testing.T) {
	offsets := map[string]string{"octal": "%07o", "decimal": "%07d", "hex": "%06x", "none": ""}
	for name, f := range map[string]dumpForm{
		"x1": {cell: " %02x", size: 1, columns: 16}, "o1": {cell: " %03o", size: 1, columns: 16},
		"u1": {cell: " %3d", size: 1, columns: 16}, "d1": {cell: " %4d", size: 1, columns: 16},
		"x2":                  {cell: " %04x", size: 2, columns: 16, little: true},
		"x4":                  {cell: " %08x", size: 4, columns: 16, little: true},
		"x8":                  {cell: " %016x", size: 8, columns: 16, little: true},
		"o2":                  {cell: " %06o", size: 2, columns: 16, little: true},
		"u2":                  {cell: " %5d", size: 2, columns: 16, little: true},
		"x2 of a big machine": {cell: " %04x", size: 2, columns: 16},
		"lines of four bytes": {cell: " %02x", size: 1, columns: 4},
		"lines of 32":         {cell: " %02x", size: 1, columns: 32},
		"wide words":          {cell: "    %04x", size: 2, columns: 16, little: true},
		"bits":                {cell: " %08b", size: 1, columns: 6},
		"with text":           {cell: " %02x", size: 1, columns: 16, column: "  >%s<"},
	} {
		for base, offset := range offsets {
			f.offset = offset
			t.Run(name+" "+base, func(t *testing.T) { assertDumpMasked(t, f.write(config())) })
		}
	}
	for name, f := range map[string]dumpForm{
		"without anything else": {cell: "%016x", size: 8, columns: 8},
		"of xxd":                {offset: "%08x:", cell: " %04x", size: 2, columns: 16, column: "  %s"},
		"of bits":               {offset: "%08x:", cell: " %08b", size: 1, columns: 6, column: "  %s"},
		"of little words":       {offset: "%08x:", cell: " %08x", size: 4, columns: 16, little: true, column: "  %s"},
	} {
		t.Run(name, func(t *testing.T) { assertDumpMasked(t, f.write(config())) })
	}
	t.Run("with line ends of another system", func(t *testing.T) {
		f := dumpForm{offset: "%07o", cell: " %02x", size: 1, columns: 16}
		assertDumpMasked(t, strings.ReplaceAll(f.write(config()), "\n", "\r\n"))
	})
}

// The programs themselves, where they are installed.
func TestDumpsOfRealProgramsAreMasked(t *testing.T) {
	for _, command := range []string{
		"od", "od -An", "od -c", "od -An -c", "od -Ax -c", "od -a", "od -An -a", "od -b", "od -d", "od -x", "od -tx1z",
		"od -tx1 -tc", "od -tx1 -to1", "od -tx1c", "od -tx2z --endian=big", "od -tu4", "od -Ax -td2", "od -v -tx1",
		"hexdump", "hexdump -C", "hexdump -b", "hexdump -c", "hexdump -d", "hexdump -o", "hexdump -x",
		"xxd", "xxd -p", "xxd -p -c 8", "xxd -b", "xxd -c 8", "xxd -g1", "xxd -g4", "xxd -g0", "xxd -g16", "xxd -e",
		"xxd -e -g2", "xxd -u", "xxd -i", "xxd -d", "xxd -E", "xxd -c 4",
	} {
		t.Run(command, func(t *testing.T) {
			args := strings.Fields(command)
			cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
			cmd.Stdin = strings.NewReader(config())
			out, err := cmd.Output()
			if err != nil {
				t.Skipf("no such program, or an older one: %v", err)
			}
			assertDumpMasked(t, string(out))
		})
	}
}
