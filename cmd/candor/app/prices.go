package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"regexp"
	"strconv"
	"strings"

	"candor/agent"
)

// price is what a model costs, in nano-dollars per million tokens.
type price struct{ input, cached, output int64 }

// prices are those of models by their names. A name that ended in * in the file stands for all that
// begin like it.
type prices struct{ exact, begins map[string]price }

// maxPrices bounds a file of prices, in bytes.
const maxPrices = 1 << 20

// costs returns a function that says what answers cost by the file of prices, nil if there is none. Its
// results are those of [agent.Dispatcher].Price.
func (s ModelSettings) costs() (func(name string, u agent.Usage) (int64, bool), error) {
	if s.Prices == "" {
		return nil, nil
	}
	f, err := os.Open(s.Prices)
	if err != nil {
		return nil, fmt.Errorf("--prices: %w", err)
	}
	defer f.Close()
	p, err := readPrices(io.LimitReader(f, maxPrices))
	if err != nil {
		return nil, fmt.Errorf("--prices %s: %w", s.Prices, err)
	}
	return p.cost, nil
}

// readPrices reads prices as JSON: for each model the dollars that a million tokens of input and output
// cost, and of cached_input, which costs as much as input unless the file says otherwise.
//
//	{"gpt-5-mini*": {"input": 0.25, "cached_input": 0.025, "output": 2}}
//
// It fails for whatever it does not know, so that no price is wrong for a typing error.
func readPrices(r io.Reader) (prices, error) {
	p := prices{exact: map[string]price{}, begins: map[string]price{}}
	d := json.NewDecoder(r)
	d.UseNumber()
	err := readObject(d, func(name string) error {
		one, err := readPrice(d)
		if err != nil {
			return fmt.Errorf("%.60q: %w", name, err)
		}
		start, all := strings.CutSuffix(name, "*")
		switch {
		case start == "" || strings.Contains(start, "*"):
			return fmt.Errorf("%.60q is not the name of a model; * is allowed only at the end", name)
		case all:
			p.begins[start] = one
		default:
			p.exact[name] = one
		}
		return nil
	})
	if err == nil && d.More() {
		err = errors.New("there is text after the prices")
	}
	return p, err
}

// readPrice reads what one model costs.
func readPrice(d *json.Decoder) (price, error) {
	found := map[string]int64{}
	err := readObject(d, func(name string) error {
		switch name {
		case "input", "cached_input", "output":
		default:
			return fmt.Errorf("%.60q is unknown; use input, cached_input and output", name)
		}
		t, err := readToken(d)
		if err != nil {
			return err
		}
		number, _ := t.(json.Number)
		found[name], err = nanoDollars(number.String())
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
	if err != nil {
		return price{}, err
	}
	input, hasInput := found["input"]
	output, hasOutput := found["output"]
	if !hasInput || !hasOutput {
		return price{}, errors.New("input and output are required")
	}
	cached, hasCached := found["cached_input"]
	if !hasCached {
		cached = input
	}
	return price{input, cached, output}, nil
}

// readObject calls do for each member of an object, with its value still to be read. A member that
// occurs twice is an error.
func readObject(d *json.Decoder, do func(name string) error) error {
	t, err := readToken(d)
	if err != nil {
		return err
	}
	if t != json.Delim('{') {
		return errors.New("want an object with a price per model, each an object with input, cached_input and output")
	}
	seen := map[string]bool{}
	for d.More() {
		t, err := readToken(d)
		if err != nil {
			return err
		}
		name, _ := t.(string)
		if seen[name] {
			return fmt.Errorf("%.60q occurs twice", name)
		}
		seen[name] = true
		if err := do(name); err != nil {
			return err
		}
	}
	_, err = readToken(d)
	return err
}

// readToken reads what comes next in a file.
func readToken(d *json.Decoder) (json.Token, error) {
	t, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %w", err)
	}
	return t, nil
}

// amounts matches numbers of dollars: below a million, with at most nine decimals.
var amounts = regexp.MustCompile(`^(\d{1,6})(?:\.(\d{1,9}))?$`)

// nanoDollars reads a number of dollars.
func nanoDollars(number string) (int64, error) {
	parts := amounts.FindStringSubmatch(number)
	if parts == nil {
		return 0, errors.New("want dollars per million tokens, a number from 0 to 999999, " +
			"with at most nine decimals")
	}
	return strconv.ParseInt(parts[1]+parts[2]+strings.Repeat("0", 9-len(parts[2])), 10, 64)
}

// of returns the price of a model: that of its name, else of the longest beginning of it that has one.
func (p prices) of(name string) (price, bool) {
	if one, ok := p.exact[name]; ok {
		return one, true
	}
	for n := len(name); n > 0; n-- {
		if one, ok := p.begins[name[:n]]; ok {
			return one, true
		}
	}
	return price{}, false
}

// cost returns what an answer cost in nano-dollars, rounded up, and whether its model has a price. Input
// that the provider had at hand has a price of its own; what a provider takes for keeping it there is
// not in any file, and so not in the cost. A model may report any number of tokens, so the product is
// computed without a bound, and one that no turn could have is not known.
func (p prices) cost(name string, u agent.Usage) (nanos int64, known bool) {
	one, ok := p.of(name)
	if !ok {
		return 0, false
	}
	cached := min(max(u.Cached, 0), max(u.Input, 0))
	sum := new(big.Int)
	for _, part := range [][2]int64{
		{int64(max(u.Input, 0) - cached), one.input}, {int64(cached), one.cached},
		{int64(max(u.Output, 0)), one.output},
	} {
		sum.Add(sum, new(big.Int).Mul(big.NewInt(part[0]), big.NewInt(part[1])))
	}
	const million = 1_000_000
	sum.Div(sum.Add(sum, big.NewInt(million-1)), big.NewInt(million))
	return sum.Int64(), sum.IsInt64()
}
