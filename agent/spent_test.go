package agent

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"candor/session"
)

func TestWhatAnAnswerCostIsRecordedIfItsModelHasAPrice(t *testing.T) {
	price := func(model string, u Usage) (int64, bool) {
		return map[string]int64{"big": 100, "small": 1, "odd": -9}[model] * int64(u.Input), model != "free"
	}
	for name, tt := range map[string]struct {
		resp Response
		want session.Spent
	}{
		"by the name that the model gives itself": {Response{Model: "big", Usage: Usage{Input: 3, Output: 1}},
			session.Spent{Nanos: 300, Priced: 1}},
		"by the name that was asked for": {Response{Usage: Usage{Input: 3}}, session.Spent{Nanos: 3, Priced: 1}},
		"without a price":                {Response{Model: "free", Usage: Usage{Input: 3}}, session.Spent{Unpriced: 1}},
		"without a count of tokens":      {Response{Model: "big"}, session.Spent{Unpriced: 1}},
		"below nothing":                  {Response{Model: "odd", Usage: Usage{Input: 3}}, session.Spent{Unpriced: 1}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &agentRun{Dispatcher: &Dispatcher{Model: "small", Price: price}}
			assert.Equal(t, tt.want, r.spent(tt.resp))
			assert.Zero(t, (&agentRun{Dispatcher: &Dispatcher{}}).spent(tt.resp), "nobody wants to know")
		})
	}
}
