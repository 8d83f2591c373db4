package drawing

import (
	"cmp"
	"slices"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office/flow"
	"ragdesk/backend/parse/office/opc"
)

// node is a point of a diagram that holds text.
type node struct {
	id, text string
	root     bool
}

// edge leads from a node to one below it.
type edge struct {
	to    string
	order int
}

// Diagram reads the data part of a diagram (SmartArt): its texts as a list, those
// of a node below it.
func Diagram(r *opc.Reader) ([]flow.Block, error) {
	var nodes []node
	below := make(map[string][]edge)
	err := r.Children(func(e opc.Element) error {
		return r.Children(func(e opc.Element) error {
			switch e.Name.Local {
			case "pt":
				n, ok, err := readNode(r, e)
				if ok {
					nodes = append(nodes, n)
				}
				return err
			case "cxn":
				if kind := guard.Attr(e, "type"); kind == "" || kind == "parOf" {
					from := guard.Attr(e, "srcId")
					below[from] = append(below[from], edge{guard.Attr(e, "destId"), opc.Int(e, "srcOrd", 0)})
				}
			}
			return nil
		})
	})
	return outline(nodes, below), err
}

// readNode reads a point; ok is false for points of layout alone.
func readNode(r *opc.Reader, e opc.Element) (n node, ok bool, err error) {
	switch guard.Attr(e, "type") {
	case "", "node", "asst":
	case "doc":
		n.root = true
	default:
		return n, false, nil
	}
	n.id = guard.Attr(e, "modelId")
	err = r.Children(func(e opc.Element) error {
		if e.Name.Local != "t" {
			return nil
		}
		b, err := ReadBody(r)
		n.text = b.Text()
		return err
	})
	return n, true, err
}

// deepest is the longest chain of nodes that is followed at once.
const deepest = 100

// outline lists nodes from the roots down, then those no root leads to.
func outline(nodes []node, below map[string][]edge) []flow.Block {
	byID := make(map[string]node, len(nodes))
	for _, n := range nodes {
		byID[n.id] = n
	}
	var out []flow.Block
	done := make(map[string]bool)
	var visit func(id string, depth int)
	visit = func(id string, depth int) {
		n, known := byID[id]
		if !known || done[id] || depth > deepest {
			return
		}
		done[id] = true
		if !n.root {
			if n.text != "" {
				out = append(out, flow.Block{Kind: flow.Item, Level: min(depth, 8), Text: n.text})
			}
			depth++
		}
		edges := below[id]
		slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(a.order, b.order) })
		for _, e := range edges {
			visit(e.to, depth)
		}
	}
	for _, n := range nodes {
		if n.root {
			visit(n.id, 0)
		}
	}
	for _, n := range nodes {
		visit(n.id, 0)
	}
	return out
}
