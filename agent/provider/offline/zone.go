package offline

import (
	"strings"
	"unicode"
)

// cities are the ones people ask about most; there is no end to the others.
var cities = map[string]string{
	"amsterdam": "Europe/Amsterdam", "auckland": "Pacific/Auckland", "bangkok": "Asia/Bangkok",
	"beijing": "Asia/Shanghai", "berlin": "Europe/Berlin", "boston": "America/New_York",
	"cairo": "Africa/Cairo", "chicago": "America/Chicago", "delhi": "Asia/Kolkata",
	"denver": "America/Denver", "dubai": "Asia/Dubai", "dublin": "Europe/Dublin",
	"istanbul": "Europe/Istanbul", "johannesburg": "Africa/Johannesburg", "lagos": "Africa/Lagos",
	"lisbon": "Europe/Lisbon", "london": "Europe/London", "los angeles": "America/Los_Angeles",
	"madrid": "Europe/Madrid", "mexico city": "America/Mexico_City", "moscow": "Europe/Moscow",
	"mumbai": "Asia/Kolkata", "nairobi": "Africa/Nairobi", "new york": "America/New_York",
	"paris": "Europe/Paris", "rome": "Europe/Rome", "san francisco": "America/Los_Angeles",
	"sao paulo": "America/Sao_Paulo", "seattle": "America/Los_Angeles", "seoul": "Asia/Seoul",
	"shanghai": "Asia/Shanghai", "singapore": "Asia/Singapore", "stockholm": "Europe/Stockholm",
	"sydney": "Australia/Sydney", "tokyo": "Asia/Tokyo", "toronto": "America/Toronto",
	"utc": "UTC", "vienna": "Europe/Vienna", "warsaw": "Europe/Warsaw", "zurich": "Europe/Zurich",
}

// zones are the time zones a clause names, by their own name or by a city's.
func (f *found) zones() (out []string) {
	for i, w := range f.words {
		if !f.free(i) || w.mark {
			continue
		}
		if w.zoneLike() {
			out = append(out, f.take(i))
			continue
		}
		if zone, ok := cities[w.low]; ok {
			f.used[i] = true
			out = append(out, zone)
			continue
		}
		if i+1 < len(f.words) && f.free(i+1) {
			if zone, ok := cities[w.low+" "+f.words[i+1].low]; ok {
				f.used[i], f.used[i+1] = true, true
				out = append(out, zone)
			}
		}
	}
	return out
}

var areas = set("Africa America Antarctica Arctic Asia Atlantic Australia Europe Indian Pacific Etc")

// zoneLike reports whether a token is a time zone's name rather than a path.
func (t token) zoneLike() bool {
	area, place, ok := strings.Cut(t.text, "/")
	return ok && areas[area] && place != "" && unicode.IsUpper(rune(place[0]))
}
