package session

import "github.com/google/uuid"

// NamedID is the id of the thread that a name stands for in this session, whether
// or not it was opened. Another session has another one for the same name.
func (s *Session) NamedID(name string) string {
	return uuid.NewSHA1(s.id, []byte("named/"+name)).String()
}

// OpenNamed opens the thread that a name stands for, unless it is open, and gives
// its id.
func (s *Session) OpenNamed(name string) (id string, err error) {
	id = s.NamedID(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.threads[id] != nil {
		return id, nil
	}
	_, err = s.add(Ref{Thread: id}, ThreadOpened{})
	return id, err
}
