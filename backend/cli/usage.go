package cli

import (
	"errors"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ragdesk/backend/fault"
)

// usageError is a wrong command line: a text of the catalogue with its parameters,
// since what the flags' library says is English.
type usageError struct {
	key    string
	params []fault.Param
}

func (u usageError) Error() string { return fault.New("usage", u.params...).Error() }

func usage(key string, params ...fault.Param) error { return usageError{key, params} }

// worded gives a wrong command line its words.
func (e *env) worded(err error) error {
	var u usageError
	if !errors.As(err, &u) {
		return err
	}
	return fault.New("usage", fault.P("detail", e.t("usage."+u.key, u.params...)))
}

// flagError words what the flags' library found.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var without *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	var syntax *pflag.InvalidSyntaxError
	switch {
	case errors.As(err, &unknown):
		name := "--" + unknown.GetSpecifiedName()
		if short := unknown.GetSpecifiedShortnames(); short != "" {
			name = "-" + short
		}
		if said := c.Flags().Args(); c.HasSubCommands() && len(said) > 0 {
			return noArguments(c, said) // the flag is that of a command misspelt
		}
		return usage("flag", fault.P("flag", name), fault.P("command", c.CommandPath()))
	case errors.As(err, &without):
		return usage("value", fault.P("flag", "--"+without.GetFlag().Name))
	case errors.As(err, &invalid):
		flag := invalid.GetFlag()
		key, kind := "invalid", flag.Value.Type()
		if _, ok := flag.Value.(natural); ok {
			kind = "uint64"
		}
		switch kind {
		case "int", "uint64", "float64", "bool", "stringToString", "stringToInt":
			key += "-" + kind
		}
		return usage(key, fault.P("flag", "--"+flag.Name), fault.P("value", invalid.GetValue()))
	case errors.As(err, &syntax):
		return usage("syntax", fault.P("flag", syntax.GetSpecifiedFlag()))
	}
	return fault.New("usage", fault.P("detail", err))
}

func noArguments(c *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case !c.HasSubCommands():
		return unexpected(c, args[0])
	}
	if c.SuggestionsMinimumDistance == 0 {
		c.SuggestionsMinimumDistance = 2
	}
	if like := c.SuggestionsFor(args[0]); len(like) > 0 {
		return usage("command-like", fault.P("name", args[0]), fault.P("command", c.CommandPath()), fault.P("like", like[0]))
	}
	return usage("command", fault.P("name", args[0]), fault.P("command", c.CommandPath()))
}

func unexpected(c *cobra.Command, argument string) error {
	return usage("argument", fault.P("argument", argument), fault.P("command", c.CommandPath()))
}

// arguments wants one argument, called name, and accepts up to most; most < 0 is
// no bound.
func arguments(most int, name string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "" && (name == "RUN" || name == "NAME") {
			return fault.New("argument_missing", fault.P("argument", name))
		}
		if most >= 0 && len(args) > most {
			return unexpected(c, args[most])
		}
		return nil
	}
}

// natural is a flag of a whole number that is not negative.
type natural struct{ n *int }

// naturalVar makes such a flag; without it n keeps its value.
func naturalVar(f *pflag.FlagSet, n *int, name string, value int, about string) {
	*n = value
	f.Var(natural{n}, name, about)
}

// Set implements pflag.Value.
func (v natural) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 31)
	if err == nil {
		*v.n = int(n)
	}
	return err
}

// String implements pflag.Value.
func (v natural) String() string {
	if v.n == nil {
		return "0"
	}
	return strconv.Itoa(*v.n)
}

// Type implements pflag.Value.
func (natural) Type() string { return "int" }
