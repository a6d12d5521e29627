package command

import (
	"net"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheNameInTheAddressIsAHostUnlessItIsEveryAddress(t *testing.T) {
	for addr, want := range map[string][]string{
		"Box.lan:8080": {"candor.example", "box.lan"}, ":8080": {"candor.example"},
		"0.0.0.0:80": {"candor.example"},
		"[::]:80":    {"candor.example"},
		"no port":    {"candor.example"},
	} {
		hosts, err := hostsOf(addr, []string{"Candor.Example"})
		require.NoError(t, err)
		assert.Equal(t, want, hosts, addr)
	}
}

func TestTheURLIsOneThatABrowserCanOpen(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:80": "http://127.0.0.1:80", "0.0.0.0:80": "http://localhost:80",
		"[::]:80": "http://localhost:80", "[::1]:80": "http://[::1]:80", "192.0.2.1:80": "http://192.0.2.1:80",
	} {
		tcp, err := net.ResolveTCPAddr("tcp", addr)
		require.NoError(t, err)
		assert.Equal(t, want, urlOf(tcp), addr)
	}
}
