package standin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Precision is the number format of a graph.
type Precision string

// The precisions.
const (
	FP32 Precision = "fp32"
	FP16 Precision = "fp16"
	// INT8 quantises weights once and activations as they come.
	INT8 Precision = "int8"
)

// Size is the shape of an encoder.
type Size struct {
	Vocab, Hidden, Heads, Layers, Inner, Positions int
}

// encoder is a transformer encoder with what stands on it.
type encoder struct {
	Size
	// roberta numbers positions from 2 and leaves padding out, and has no token
	// types.
	roberta bool
	// untyped leaves out token types, which only BERT has.
	untyped bool
	// head makes logits of the first token; without it the token vectors come out.
	head bool
	// each makes logits of every token, in the place of head.
	each bool
	// classes is how many logits the head makes; 0 means one.
	classes int
	// outputs are names: of the logits or the token vectors, and then of a second
	// output if there is one.
	outputs []string
	// dataFile is the name of the external file, empty for none.
	dataFile string
	seed     uint64
}

// write returns the graph in the given precision, and its external file.
func (e encoder) write(p Precision) (model, data []byte) {
	g := &graph{rng: rand.New(rand.NewPCG(e.seed, 7)), precision: p, dataFile: e.dataFile}
	if e.dataFile != "" {
		g.data = &data
	}
	names := []string{"input_ids", "attention_mask"}
	if e.typed() {
		names = append(names, "token_type_ids")
	}
	for _, n := range names {
		g.inputs = append(g.inputs, value(n, typeInt64, "batch_size", "sequence_length"))
	}
	x := e.embed(g)
	mask := e.mask(g)
	for range e.Layers {
		x = e.layer(g, x, mask)
	}
	if e.each {
		g.rename(e.linear(g, x, e.Hidden, e.classes, 6), e.outputs[0])
		g.outputs = append(g.outputs, value(e.outputs[0], g.float(), "batch_size", "sequence_length", fmt.Sprint(e.classes)))
		return g.model(), data
	}
	hidden := fmt.Sprint(e.Hidden)
	vectors := value(e.outputs[len(e.outputs)-1], g.float(), "batch_size", "sequence_length", hidden)
	if !e.head {
		g.rename(x, e.outputs[0])
		g.outputs = append(g.outputs, value(e.outputs[0], g.float(), "batch_size", "sequence_length", hidden))
		if len(e.outputs) > 1 {
			g.rename(e.first(g, x), e.outputs[1])
			g.outputs = append(g.outputs, value(e.outputs[1], g.float(), "batch_size", hidden))
		}
		return g.model(), data
	}
	dense := g.node("Tanh", []string{e.linear(g, e.first(g, x), e.Hidden, e.Hidden, 1)})
	classes := max(e.classes, 1)
	g.rename(e.linear(g, dense, e.Hidden, classes, 6), e.outputs[0])
	g.outputs = append(g.outputs, value(e.outputs[0], g.float(), "batch_size", fmt.Sprint(classes)))
	if len(e.outputs) > 1 {
		g.rename(x, e.outputs[1])
		g.outputs = append([]message{vectors}, g.outputs...) // the logits are not always first
	}
	return g.model(), data
}

// typed reports that the graph takes token types.
func (e encoder) typed() bool { return !e.roberta && !e.untyped }

// first takes the vector of the first token.
func (e encoder) first(g *graph, x string) string {
	return g.node("Gather", []string{x, g.scalarInt(0)}, attr{"axis", 1})
}

// embed adds up the embeddings of tokens, positions and, for BERT, types.
func (e encoder) embed(g *graph) string {
	look := func(rows int, ids string) string {
		return g.node("Gather", []string{g.floats(g.noise(rows*e.Hidden, 1), rows, e.Hidden), ids})
	}
	words := look(e.Vocab, "input_ids")
	var positions string
	if e.roberta {
		pad := g.node("Equal", []string{"input_ids", g.scalarInt(1)})
		real := g.node("Cast", []string{g.node("Not", []string{pad})}, attr{"to", typeInt64})
		count := g.node("CumSum", []string{real, g.scalarInt(1)})
		positions = g.node("Add", []string{g.node("Mul", []string{count, real}), g.scalarInt(1)})
	} else {
		length := g.node("Gather", []string{g.node("Shape", []string{"input_ids"}), g.scalarInt(1)})
		positions = g.node("Range", []string{g.scalarInt(0), length, g.scalarInt(1)})
	}
	x := g.node("Add", []string{words, look(e.Positions, positions)})
	if e.typed() {
		x = g.node("Add", []string{x, look(2, "token_type_ids")})
	}
	return e.norm(g, x)
}

// mask is 0 for tokens and very low for padding, for every head and row.
func (e encoder) mask(g *graph) string {
	m := g.node("Unsqueeze", []string{"attention_mask", g.int64s(1, 2)})
	m = g.node("Cast", []string{m}, attr{"to", int(g.float())})
	m = g.node("Sub", []string{g.floats([]float32{1}), m})
	return g.node("Mul", []string{m, g.floats([]float32{-10000})})
}

func (e encoder) norm(g *graph, x string) string {
	scale, bias := g.floats(constant(e.Hidden, 1), e.Hidden), g.floats(constant(e.Hidden, 0), e.Hidden)
	return g.node("LayerNormalization", []string{x, scale, bias}, attr{"epsilon", float32(1e-5)})
}

// linear is x·W + b; gain 1 keeps the size of what goes through.
func (e encoder) linear(g *graph, x string, in, out int, gain float64) string {
	w := g.noise(in*out, float32(gain*math.Sqrt(3/float64(in))))
	bias := g.noise(out, 0.1)
	if g.precision == INT8 {
		x = e.quantised(g, x, w, in, out)
	} else {
		x = g.node("MatMul", []string{x, g.floats(w, in, out)})
	}
	return g.node("Add", []string{x, g.floats(bias, out)})
}

// quantised is x·W with W in eight bits and x quantised when it is known, with
// one scale for all of x.
func (e encoder) quantised(g *graph, x string, w []float32, in, out int) string {
	var peak float32
	for _, v := range w {
		peak = max(peak, v, -v)
	}
	raw := make([]byte, len(w))
	for i, v := range w {
		raw[i] = byte(int8(math.RoundToEven(float64(v) * 127 / float64(peak))))
	}
	q := g.nodes1("DynamicQuantizeLinear", []string{x}, 3)
	zero := g.tensor(typeInt8, []byte{0})
	sum := g.node("MatMulInteger", []string{q[0], g.tensor(typeInt8, raw, in, out), q[2], zero})
	scale := g.node("Mul", []string{q[1], g.tensor(typeFloat, binary.LittleEndian.AppendUint32(nil, math.Float32bits(peak/127)))})
	return g.node("Mul", []string{g.node("Cast", []string{sum}, attr{"to", typeFloat}), scale})
}

func (e encoder) layer(g *graph, x, mask string) string {
	size := e.Hidden / e.Heads
	heads := func(order ...int) string {
		h := e.linear(g, x, e.Hidden, e.Hidden, 2)
		h = g.node("Reshape", []string{h, g.int64s(0, 0, int64(e.Heads), int64(size))})
		return g.node("Transpose", []string{h}, attr{"perm", order})
	}
	q, k, v := heads(0, 2, 1, 3), heads(0, 2, 3, 1), heads(0, 2, 1, 3)
	scores := g.node("Mul", []string{g.node("MatMul", []string{q, k}), g.floats([]float32{float32(1 / math.Sqrt(float64(size)))})})
	weights := g.node("Softmax", []string{g.node("Add", []string{scores, mask})}, attr{"axis", -1})
	mixed := g.node("Transpose", []string{g.node("MatMul", []string{weights, v})}, attr{"perm", []int{0, 2, 1, 3}})
	mixed = g.node("Reshape", []string{mixed, g.int64s(0, 0, int64(e.Hidden))})
	x = e.norm(g, g.node("Add", []string{e.linear(g, mixed, e.Hidden, e.Hidden, 1), x}))
	inner := e.gelu(g, e.linear(g, x, e.Hidden, e.Inner, 1))
	return e.norm(g, g.node("Add", []string{e.linear(g, inner, e.Inner, e.Hidden, 1), x}))
}

// gelu is x/2 · (1 + erf(x/√2)).
func (e encoder) gelu(g *graph, x string) string {
	erf := g.node("Erf", []string{g.node("Div", []string{x, g.floats([]float32{math.Sqrt2})})})
	half := g.node("Mul", []string{x, g.floats([]float32{0.5})})
	return g.node("Mul", []string{half, g.node("Add", []string{erf, g.floats([]float32{1})})})
}
