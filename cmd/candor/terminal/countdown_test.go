package terminal

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"candor/web/client"
)

func TestWhatIsLeftIsCountedToTheSecond(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0:00", time.Millisecond: "0:01", 9 * time.Second: "0:09", 252 * time.Second: "4:12",
		time.Hour + 61*time.Second: "1:01:01",
	} {
		assert.Equal(t, want, remaining(d))
	}
}

// The clock that counts is the server's, whatever this one says, and also behind a lost connection.
func TestTheServersClockCounts(t *testing.T) {
	now := time.Date(2026, 2, 21, 12, 0, 0, 0, time.UTC)
	var c serverClock
	assert.Equal(t, time.Minute, c.left(now.Add(time.Minute), now), "nothing is known")
	c.see(now.Add(-time.Hour), now)
	assert.Equal(t, time.Minute+time.Hour, c.left(now.Add(time.Minute), now), "the server is an hour behind")
	c.see(now.Add(-2*time.Hour), now)
	c.see(time.Time{}, now)
	assert.Equal(t, time.Minute+time.Hour, c.left(now.Add(time.Minute), now), "an event that was missed is older")
	assert.Zero(t, c.left(now.Add(-2*time.Hour), now))
}

// The line fits every window from 50 cells on, and what is needed most stays longest.
func TestHowToAnswerFitsTheWindow(t *testing.T) {
	a := client.Approval{AllowAlways: true, Editable: true}
	for width, want := range map[int]string{
		0:   "    May it run?  y yes   a always   n no   n WORDS no, and why   e edit   v view   4:12 left\n",
		100: "    May it run?  y yes   a always   n no   n WORDS no, and why   e edit   v view           4:12 left\n",
		80:  "    May it run?  y yes  a always  n no  e edit  v view                 4:12 left\n",
		60:  "    May it run?  y yes  a always  n no  e edit     4:12 left\n",
		50:  "    May it run?  y yes  a always  n no   4:12 left\n",
		10:  "    May it run?  y yes  n no 4:12 left\n",
	} {
		got := Style{Width: width}.howToAnswer(a, 0, "4:12 left")
		assert.Equal(t, want, got, "at %d cells", width)
	}
	assert.Equal(t, "    May it run?  y 2 yes   n 2 no   n 2 WORDS no, and why   v 2 view\n",
		Style{}.howToAnswer(client.Approval{}, 2, ""))
}
