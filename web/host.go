package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"candor/web/problem"
)

// wrongHost answers a request that was meant for another server.
var wrongHost = problem.New(http.StatusMisdirectedRequest, "wrong_host",
	"This server does not accept the name in the Host header. Use the address that it printed at its start, "+
		"or add the name with candor serve --host NAME.")

// checkHost refuses requests whose Host header names another server. A site can let its own
// name point to this machine (DNS rebinding). The browser then takes this server for a part
// of that site, and the origin check cannot tell them apart.
func (s *Server) checkHost(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.answersTo(c.Request()) {
			return wrongHost
		}
		return next(c)
	}
}

// answersTo reports whether the request's Host is a name of this server: this machine's own,
// one of Options.Hosts, or the address that the connection arrived at, which is no name that
// a site could point elsewhere. The port does not matter: a tunnel or a proxy may have
// another, and a site cannot lend its name to a port alone.
func (s *Server) answersTo(r *http.Request) bool {
	name := strings.ToLower((&url.URL{Host: r.Host}).Hostname())
	ip, err := netip.ParseAddr(name)
	if err != nil {
		return name == "localhost" || name != "" && slices.Contains(s.options.Hosts, name)
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ip.IsLoopback() || slices.Contains(s.options.Hosts, ip.String()) ||
		local != nil && ip == local.AddrPort().Addr().Unmap()
}
