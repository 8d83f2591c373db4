package embed

import (
	"fmt"
	"math"

	"ragdesk/backend/fault"
	"ragdesk/backend/rag"
)

// invalid is the fault of a vector that must not enter an index. The text is
// named by its index among those given, from 0.
func invalid(text int, reason string) error {
	return fault.New("vector_invalid", fault.P("index", text), fault.P("reason", reason))
}

// checked refuses an output of the wrong dimension before use sees it.
func checked(text int, rows matrix, dim int, use func(i int, rows matrix) error) error {
	if rows.dim != dim {
		return invalid(text, fmt.Sprintf("dimension %d, not %d", rows.dim, dim))
	}
	return use(text, rows)
}

// pool makes the unit vector of a text.
func (m *Model) pool(text int, rows matrix) ([]float32, error) {
	out := make([]float32, rows.dim)
	if m.spec.Pooling == CLS {
		copy(out, rows.row(0))
	} else {
		mean(out, rows)
	}
	if err := normalise(text, out); err != nil {
		return nil, err
	}
	return out, nil
}

// mean averages all rows into out, adding up in float64.
func mean(out []float32, rows matrix) {
	sum := make([]float64, rows.dim)
	for i := range rows.rows {
		for j, v := range rows.row(i) {
			sum[j] += float64(v)
		}
	}
	for j, v := range sum {
		out[j] = float32(v / float64(rows.rows))
	}
}

// tokens makes the unit vectors of the content tokens.
func (m *Model) tokens(text int, rows matrix) (rag.TokenMatrix, error) {
	n := rows.rows - special
	out := rag.TokenMatrix{Rows: n, Dim: rows.dim, Data: make([]float32, n*rows.dim)}
	copy(out.Data, rows.data[rows.dim:])
	for i := range n {
		if err := normalise(text, out.Data[i*rows.dim:(i+1)*rows.dim]); err != nil {
			return rag.TokenMatrix{}, err
		}
	}
	return out, nil
}

// normalise scales v to length 1 in place, adding up in float64.
func normalise(text int, v []float32) error {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	norm := math.Sqrt(square)
	switch {
	case math.IsNaN(norm):
		return invalid(text, "NaN")
	case math.IsInf(norm, 0):
		return invalid(text, "infinite")
	case norm < minNorm:
		return invalid(text, "zero length")
	}
	for i, x := range v {
		v[i] = float32(float64(x) / norm)
	}
	return nil
}

// minNorm is the least length whose inverse is still a finite float32.
const minNorm = 1e-37
