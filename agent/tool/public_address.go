package tool

import (
	"context"
	"net/netip"
	"slices"
	"syscall"
)

// notPublic is the error for a refused address. It does not contain the address, which
// may reveal the layout of the local network.
type notPublic struct{}

func (*notPublic) Error() string {
	return "the host is not on the public internet, and other addresses are refused"
}

// guard refuses connections to addresses that are not public. It checks the address of
// each connection after names are resolved, so DNS answers cannot circumvent it.
type guard struct{ allow []netip.Prefix }

// control implements net.Dialer.ControlContext.
func (g guard) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || network != "tcp4" && network != "tcp6" {
		return &notPublic{}
	}
	ip := to.Addr()
	if !public(ip) && !slices.ContainsFunc(g.allow, func(p netip.Prefix) bool { return p.Contains(ip) }) {
		return &notPublic{}
	}
	return nil
}

// global is the only block of IPv6 that is assigned to the internet. It excludes loopback,
// unique local, link-local, multicast, IPv4-mapped and NAT64 addresses.
var global = netip.MustParsePrefix("2000::/3")

// special are the blocks that contain no public hosts, from IANA's registries of
// special-purpose addresses.
var special = prefixes(
	"0.0.0.0/8",       // this network
	"10.0.0.0/8",      // private
	"100.64.0.0/10",   // shared, behind carriers' NAT
	"127.0.0.0/8",     // loopback
	"169.254.0.0/16",  // link-local, where clouds keep their metadata
	"172.16.0.0/12",   // private
	"192.0.0.0/24",    // protocol assignments
	"192.0.2.0/24",    // documentation
	"192.88.99.0/24",  // 6to4 relays
	"192.168.0.0/16",  // private
	"198.18.0.0/15",   // benchmarks
	"198.51.100.0/24", // documentation
	"203.0.113.0/24",  // documentation
	"224.0.0.0/4",     // multicast
	"240.0.0.0/4",     // reserved, and broadcast
	"2001::/23",       // protocol assignments, Teredo among them
	"2001:db8::/32",   // documentation
	"2002::/16",       // 6to4, which embeds an IPv4 address
	"3fff::/20",       // documentation
)

func prefixes(all ...string) (out []netip.Prefix) {
	for _, p := range all {
		out = append(out, netip.MustParsePrefix(p))
	}
	return out
}

// public reports whether an address belongs to a host on the public internet.
func public(ip netip.Addr) bool {
	if ip.Zone() != "" || !ip.Is4() && !global.Contains(ip) {
		return false
	}
	return !slices.ContainsFunc(special, func(p netip.Prefix) bool { return p.Contains(ip) })
}
