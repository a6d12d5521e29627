package command

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"candor/cmd/candor/app"
	"candor/cmd/candor/terminal"
	"candor/web/access"
	"candor/web/client"
)

// hostName matches the names of hosts, in lower case: labels of letters, digits, hyphens and
// underscores between dots.
var hostName = regexp.MustCompile(`^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$`)

// hostsOf returns the names that the server answers to besides those of this machine: the
// name in --addr, and what --host adds. It fails if one of those is no name of a host: a
// mistake in it would turn people away as if the name were missing.
func hostsOf(addr string, flags []string) ([]string, error) {
	var hosts []string
	for _, flag := range flags {
		name := strings.ToLower(flag)
		ip, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(name, "["), "]"))
		switch {
		case err == nil && ip.IsUnspecified():
			return nil, fmt.Errorf("--host: %s matches any address; name each address that people use", flag)
		case err == nil:
			name = ip.String()
		case !hostName.MatchString(name):
			return nil, fmt.Errorf("--host: %q is not a host name; want one such as candor.example, "+
				"without scheme, port and path", flag)
		}
		hosts = append(hosts, name)
	}
	name, _, err := net.SplitHostPort(strings.ToLower(addr))
	if _, notIP := netip.ParseAddr(name); err == nil && notIP != nil && name != "" {
		hosts = append(hosts, name) // an IP address is known from each connection
	}
	return hosts, nil
}

// urlOf returns the URL at which people on this machine reach a listener. Where it listens
// on every address, that is localhost.
func urlOf(ln net.Addr) string {
	if a, ok := ln.(*net.TCPAddr); ok && a.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", a.Port)
	}
	return "http://" + ln.String()
}

// isLocal reports whether only this machine reaches a listener.
func isLocal(ln net.Addr) bool {
	a, ok := ln.(*net.TCPAddr)
	return !ok || a.IP.IsLoopback()
}

// describePrivate says which of Candor's own files lie in the workspace and what that means,
// or returns "" if none does.
func describePrivate(s app.Settings) string {
	inside := s.PrivateInWorkspace()
	if len(inside) == 0 {
		return ""
	}
	// Where nothing reaches them there is nothing to do: make run itself keeps its sessions in the workspace.
	reach := ""
	if slices.Contains(s.Tools.Enable, "shell") || s.Tools.MCPConfig != "" {
		reach = "; the shell and MCP servers can read them, so keep them outside of it"
	}
	return fmt.Sprintf("file tools refuse %s in the workspace%s",
		terminal.CleanLine(strings.Join(inside, ", ")), reach)
}

// pageLink returns the address that logs one browser in to the server at url.
func pageLink(url, code string) string { return strings.TrimSuffix(url, "/") + "/#code=" + code }

// announce tells a person where the server is, which model answers, what it may read and
// how to log in. A configured token is not printed; one that the server made is, because people
// have to learn it somewhere. code logs in one browser; there is none if all users are those of
// --tokens, since the output would let its reader log in as one of them. In the page's
// address it follows the #, a part of a URL that browsers do not send.
func announce(w io.Writer, ln net.Addr, made madeToken, code, model string, s app.Settings) {
	url := urlOf(ln)
	fmt.Fprintf(w, "Candor serves at %s\n", url)
	fmt.Fprintf(w, "  model      %s\n", s.Model.Describe(model))
	fmt.Fprintf(w, "  workspace  %s\n", s.Tools.Workspace)
	fmt.Fprintf(w, "  sessions   %s\n", s.Storage.Describe())
	if private := describePrivate(s); private != "" {
		fmt.Fprintf(w, "  private    %s\n", private)
	}
	if !isLocal(ln) {
		names := strings.Join(append([]string{"localhost", "this machine's addresses"}, s.Hosts...), ", ")
		fmt.Fprintf(w, "  hosts      %s; --host NAME adds a name, all others are refused\n", names)
	}
	if made.value != "" {
		fmt.Fprintf(w, "  token      %s   (%s)\n", made.value, terminal.CleanLine(made.note))
	}
	if code == "" {
		fmt.Fprintf(w, "  page       %s/   (asks for your token; %s prints a link)\n", url, loginAt(url))
		return
	}
	fmt.Fprintf(w, "  page       %s\n", pageLink(url, code))
	fmt.Fprintf(w, "             (logs in once, within %.0f minutes; %s prints another link)\n",
		access.CodeLife.Minutes(), loginAt(url))
}

// loginAt returns the command that prints a link to the server at url. It names a server that is not the default.
func loginAt(url string) string {
	if url == defaultServer {
		return "candor login"
	}
	return "candor login --server " + url
}

// attachedProtocol marks the conversations of other programs' agents.
const attachedProtocol = "attached"

// printHeard says when the server last heard of each program by each channel. Without a token or a server it says why
// that is not known: whether hooks are set is known all the same.
func printHeard(ctx context.Context, s serverSettings, w io.Writer) {
	var list []client.Thread
	c, err := s.connect()
	if err == nil {
		defer c.Close()
		list, _, err = c.Threads(ctx)
	}
	if err != nil {
		fmt.Fprintf(w, "\nCould not ask the server when each agent last reported: %s\n",
			terminal.CleanLine(withoutCapital(explained(err).Error())))
		return
	}
	heard := lastHeard(list)
	fmt.Fprintf(w, "\nLast report to %s:\n", terminal.CleanLine(s.url))
	// An agent that was never heard has no line of its own: its name is not known.
	if len(heard) == 0 {
		fmt.Fprintln(w, "  none yet")
	}
	for _, name := range slices.Sorted(maps.Keys(heard)) {
		fmt.Fprintf(w, "  %s  %s\n", heard[name].Local().Format("2006-01-02 15:04:05"), terminal.CleanLine(name))
	}
}

// lastHeard returns the latest time of each program and channel among conversations.
func lastHeard(list []client.Thread) map[string]time.Time {
	heard := map[string]time.Time{}
	for _, t := range list {
		if t.Origin == nil || t.Origin.Protocol != attachedProtocol || t.Attached == nil {
			continue
		}
		for _, c := range t.Attached.Channels {
			name := t.Origin.Participant + ", " + c.Channel
			if c.HeardAt.After(heard[name]) {
				heard[name] = c.HeardAt
			}
		}
	}
	return heard
}
