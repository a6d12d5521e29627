package tool

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOnlyPublicAddressesAreReached(t *testing.T) {
	for _, address := range []string{
		"8.8.8.8:53", "172.15.255.255:80", "172.32.0.0:80", "100.63.255.255:80", "100.128.0.0:80",
		"192.167.1.1:80",
		"223.255.255.255:80", "[2606:4700::1111]:443", "[2a00:1450::1]:443",
	} {
		assert.NoError(t, guard{}.control(t.Context(), "tcp6", address, nil), address)
	}
	for _, address := range []string{
		"0.0.0.0:80", "0.1.2.3:80", "10.0.0.1:80", "100.64.0.1:80", "100.127.255.255:80", "127.0.0.1:80",
		"127.9.9.9:80", "169.254.169.254:80", "172.16.0.1:80", "172.31.255.255:80", "192.0.0.8:80",
		"192.0.2.1:80", "192.168.1.1:80", "198.18.0.1:80", "198.19.255.255:80", "198.51.100.7:80",
		"203.0.113.7:80", "224.0.0.1:80", "239.1.1.1:80", "240.0.0.1:80", "255.255.255.255:80",
		"192.88.99.1:80", "[::]:80", "[::1]:80", "[::7f00:1]:80", "[::ffff:127.0.0.1]:80",
		"[::ffff:8.8.8.8]:80", "[::ffff:0:8.8.8.8]:80", "[64:ff9b::7f00:1]:80", "[64:ff9b::808:808]:80",
		"[64:ff9b:1::1]:80", "[100::1]:80", "[2001::1]:80", "[2001:db8::1]:80", "[2002:7f00:1::]:80",
		"[3fff::1]:80", "[5f00::1]:80", "[fc00::1]:80", "[fd12:3456::1]:80", "[fe80::1]:80", "[fe80::1%lo]:80",
		"[2606:4700::1111%eth0]:80", "[fec0::1]:80", "[ff02::1]:80", "no address", "localhost:80", "",
	} {
		assert.Error(t, guard{}.control(t.Context(), "tcp6", address, nil), address)
	}
	assert.Error(t, guard{}.control(t.Context(), "udp4", "8.8.8.8:53", nil))
}

func TestAnAddressCanBeAllowed(t *testing.T) {
	g := guard{allow: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}}
	require.NoError(t, g.control(t.Context(), "tcp4", "10.1.2.3:80", nil))
	assert.Error(t, g.control(t.Context(), "tcp4", "10.2.0.1:80", nil))
}

func TestTheClientUsesNoProxyAndNoCookies(t *testing.T) {
	client := guard{}.client()
	assert.Nil(t, client.Jar)
	assert.Nil(t, client.Transport.(*http.Transport).Proxy)
}

// FuzzGuard checks that no spelling of an address circumvents the guard.
func FuzzGuard(f *testing.F) {
	f.Add("127.0.0.1:80")
	f.Add("[::ffff:10.0.0.1]:80")
	f.Add("[64:ff9b::a00:1]:80")
	f.Fuzz(func(t *testing.T, address string) {
		if (guard{}).control(t.Context(), "tcp", address, nil) == nil {
			t.Fatal("a network that is neither IPv4 nor IPv6")
		}
		if (guard{}).control(t.Context(), "tcp6", address, nil) != nil {
			return
		}
		ip := netip.MustParseAddrPort(address).Addr().Unmap()
		assert.True(t, ip.IsGlobalUnicast() && !ip.IsPrivate() && !ip.IsLoopback() && !ip.IsLinkLocalUnicast(), address)
	})
}
