package tool_test

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"candor/agent"
	"candor/agent/tool"
)

// A tool is a function on a struct. The struct's tags become the schema that models see,
// and decorators add rules.
func ExampleNew() {
	type input struct {
		Celsius float64 `json:"celsius" jsonschema:"temperature in degrees Celsius"`
	}
	type output struct {
		Fahrenheit float64 `json:"fahrenheit"`
	}
	convert := tool.New("to_fahrenheit", "Converts a temperature.", func(_ context.Context, in input) (output, error) {
		return output{in.Celsius*9/5 + 32}, nil
	})
	convert = tool.WithApproval(tool.WithTimeout(convert, time.Second), agent.ApprovalAsk)

	spec := convert.Spec()
	fmt.Println(spec.Name, spec.Schema.Required, spec.Schema.Properties["celsius"].Description)
	fmt.Println("asks a person:", spec.Approval == agent.ApprovalAsk)
	result, err := convert.Run(context.Background(), json.RawMessage(`{"celsius":21}`))
	fmt.Println(string(result), err)
	// Output:
	// to_fahrenheit [celsius] temperature in degrees Celsius
	// asks a person: true
	// {"fahrenheit":69.8} <nil>
}
