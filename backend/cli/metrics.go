package cli

import "strings"

// metricNames is a flag of metric names with commas between them; a comma within
// parentheses belongs to the name, as in "nDCG(gain=linear,rel=2)@5". The flag may
// be repeated.
type metricNames []string

// Set implements pflag.Value.
func (m *metricNames) Set(s string) error {
	depth := 0
	for _, name := range strings.FieldsFunc(s, func(c rune) bool {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		}
		return c == ',' && depth == 0
	}) {
		*m = append(*m, strings.TrimSpace(name))
	}
	return nil
}

// String implements pflag.Value.
func (m *metricNames) String() string { return strings.Join(*m, ",") }

// Type implements pflag.Value.
func (m *metricNames) Type() string { return "strings" }
