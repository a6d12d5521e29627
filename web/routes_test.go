package web

// RoutesOf lists the method and path of each of the server's routes, for tests of all of them.
func RoutesOf(s *Server) (all [][2]string) {
	for _, r := range s.echo.Routes() {
		all = append(all, [2]string{r.Method, r.Path})
	}
	return all
}
