package drawing

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/numfmt"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// series is a line, a row of columns or a pie of a chart.
type series struct {
	name         string
	cats, values points
}

// points are cached values by index.
type points map[int]string

// Chart reads a chart's part: its title as a paragraph and its cached values as a
// table of categories and series. A chart without cached values gives no table.
func Chart(r *opc.Reader) ([]flow.Block, error) {
	var c chart
	if err := c.walk(r); err != nil {
		return nil, err
	}
	var out []flow.Block
	if c.title != "" {
		out = append(out, flow.Block{Text: c.title})
	}
	return append(out, tables(c.series)...), nil
}

// chart collects what a chart's part says.
type chart struct {
	title  string
	series []series
	// axis says that the walk is inside an axis, whose title is not the chart's.
	axis bool
}

func (c *chart) walk(r *opc.Reader) error {
	return r.Children(func(e opc.Element) error {
		switch name := e.Name.Local; {
		case name == "title" && !c.axis && c.title == "":
			s, err := words(r)
			c.title = flow.Line(s)
			return err
		case name == "ser":
			s, err := readSeries(r)
			c.series = append(c.series, s)
			return err
		case name == "data":
			// The newer kinds of chart keep their values apart from their series.
			s, err := readData(r)
			if len(s.values) > 0 {
				c.series = append(c.series, s)
			}
			return err
		case strings.HasSuffix(name, "Ax") || name == "axis":
			c.axis = true
			err := c.walk(r)
			c.axis = false
			return err
		case name == "txPr" || name == "spPr" || name == "externalData" || name == "extLst":
			return nil
		}
		return c.walk(r)
	})
}

// words returns the text of a title: paragraphs of runs, or a cached cell.
func words(r *opc.Reader) (string, error) {
	var lines []string
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "rich":
			b, err := ReadBody(r)
			lines = append(lines, b.Text())
			return err
		case "v":
			s, err := r.Text()
			lines = append(lines, s)
			return err
		case "f", "txPr", "spPr":
			return nil
		}
		return r.Children(walk)
	}
	err := r.Children(walk)
	return strings.Join(lines, "\n"), err
}

func readSeries(r *opc.Reader) (series, error) {
	var s series
	err := r.Children(func(e opc.Element) (err error) {
		switch e.Name.Local {
		case "tx":
			s.name, err = words(r)
			s.name = flow.Line(s.name)
		case "cat", "xVal":
			s.cats, err = readPoints(r)
		case "val", "yVal":
			s.values, err = readPoints(r)
		}
		return err
	})
	return s, err
}

// readData reads the categories and values of a newer kind of chart.
func readData(r *opc.Reader) (series, error) {
	var s series
	err := r.Children(func(e opc.Element) error {
		p, err := readPoints(r)
		switch {
		case err != nil:
			return err
		case e.Name.Local == "strDim":
			s.cats = p
		case e.Name.Local == "numDim" && len(s.values) == 0:
			s.values = p
		}
		return nil
	})
	return s, err
}

// readPoints reads cached values, those of several levels joined from the
// outermost.
func readPoints(r *opc.Reader) (points, error) {
	var levels []points
	current := points{}
	code := ""
	var walk func(opc.Element) error
	walk = func(e opc.Element) error {
		switch e.Name.Local {
		case "formatCode":
			s, err := r.Text()
			code = s
			return err
		case "lvl":
			current = points{}
			if c := guard.Attr(e, "formatCode"); c != "" {
				code = c
			}
			err := r.Children(walk)
			levels = append(levels, current)
			return err
		case "pt":
			s, err := readPoint(r)
			if i := opc.Int(e, "idx", -1); i >= 0 && i < 1<<20 {
				current[i] = s
			}
			return err
		case "f":
			return nil
		}
		return r.Children(walk)
	}
	if err := r.Children(walk); err != nil {
		return nil, err
	}
	if len(levels) == 0 {
		levels = append(levels, current)
	}
	return shown(joined(levels), code), nil
}

// readPoint reads a point: its text, or that of its v.
func readPoint(r *opc.Reader) (string, error) {
	s, err := r.Text()
	return strings.TrimSpace(s), err
}

// joined puts the levels of a category together; an outer level holds until its
// next value.
func joined(levels []points) points {
	out := levels[0]
	for _, outer := range levels[1:] {
		last := ""
		for _, i := range slices.Sorted(maps.Keys(out)) {
			if v, ok := outer[i]; ok {
				last = v
			}
			if last != "" {
				out[i] = last + " / " + out[i]
			}
		}
	}
	return out
}

// shown formats numbers by their format code.
func shown(p points, code string) points {
	f := numfmt.Parse(code)
	for i, s := range p {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			p[i] = f.Number(v, false)
		}
	}
	return p
}

// tables writes series over the same categories as one table, others as tables of
// their own.
func tables(all []series) []flow.Block {
	var out []flow.Block
	for len(all) > 0 {
		n := 1
		for n < len(all) && (len(all[n].cats) == 0 || maps.Equal(all[n].cats, all[0].cats)) {
			n++
		}
		if b, ok := table(all[:n]); ok {
			out = append(out, b)
		}
		all = all[n:]
	}
	return out
}

func table(group []series) (flow.Block, bool) {
	indexes := make(map[int]bool)
	head := []string{""}
	for _, s := range group {
		head = append(head, s.name)
		for i := range s.values {
			indexes[i] = true
		}
	}
	if len(indexes) == 0 {
		return flow.Block{}, false
	}
	rows := [][]string{head}
	for _, i := range slices.Sorted(maps.Keys(indexes)) {
		row := []string{group[0].cats[i]}
		for _, s := range group {
			row = append(row, s.values[i])
		}
		rows = append(rows, row)
	}
	return flow.Block{Kind: flow.Table, Rows: rows, Header: 1}, true
}
