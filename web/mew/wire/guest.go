package wire

// Guest names a participant of a user's space among those for whom a safety layer cleans.
func Guest(owner, space, participant string) string {
	return owner + "\x00" + space + "\x00" + participant
}
