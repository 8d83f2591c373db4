package standin

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Data types of tensors, numbered as in onnx.proto.
const (
	typeFloat   = 1
	typeInt8    = 3
	typeInt64   = 7
	typeBool    = 9
	typeFloat16 = 10
)

// graph is an ONNX graph that is being written. Every method that adds a node
// returns the name of its output.
type graph struct {
	nodes, initialisers []message
	inputs, outputs     []message
	rng                 *rand.Rand
	precision           Precision
	// data collects what goes into the external file; nil keeps all inside.
	data     *[]byte
	dataFile string
	count    int
}

// float is the type of weights and activations.
func (g *graph) float() int64 {
	if g.precision == FP16 {
		return typeFloat16
	}
	return typeFloat
}

// attr is an attribute of a node: an int, a float or a list of ints.
type attr struct {
	name  string
	value any
}

func (g *graph) node(op string, inputs []string, attrs ...attr) string {
	return g.nodes1(op, inputs, 1, attrs...)[0]
}

// nodes1 adds a node with n outputs.
func (g *graph) nodes1(op string, inputs []string, n int, attrs ...attr) []string {
	g.count++
	outputs := make([]string, n)
	var m message
	for _, in := range inputs {
		m.text(1, in)
	}
	for i := range outputs {
		outputs[i] = fmt.Sprintf("%s_%d_%d", op, g.count, i)
		m.text(2, outputs[i])
	}
	m.text(3, fmt.Sprintf("%s_%d", op, g.count))
	m.text(4, op)
	for _, a := range attrs {
		m.sub(5, func(m *message) {
			m.text(1, a.name)
			switch v := a.value.(type) {
			case int:
				m.number(3, int64(v))
				m.number(20, 2)
			case float32:
				m.float(2, v)
				m.number(20, 1)
			case []int:
				for _, i := range v {
					m.number(8, int64(i))
				}
				m.number(20, 7)
			}
		})
	}
	g.nodes = append(g.nodes, m)
	return outputs
}

// rename gives a tensor another name, as outputs need.
func (g *graph) rename(from, to string) {
	var m message
	m.text(1, from)
	m.text(2, to)
	m.text(4, "Identity")
	g.nodes = append(g.nodes, m)
}

// tensor adds a constant of raw little-endian bytes.
func (g *graph) tensor(typ int64, raw []byte, dims ...int) string {
	g.count++
	name := fmt.Sprintf("w_%d", g.count)
	var m message
	for _, d := range dims {
		m.number(1, int64(d))
	}
	m.number(2, typ)
	m.text(8, name)
	if g.data == nil || len(raw) < 256 {
		m.bytes(9, raw)
	} else {
		for _, e := range [][2]string{
			{"location", g.dataFile}, {"offset", fmt.Sprint(len(*g.data))}, {"length", fmt.Sprint(len(raw))},
		} {
			m.sub(13, func(m *message) { m.text(1, e[0]); m.text(2, e[1]) })
		}
		m.number(14, 1)
		*g.data = append(*g.data, raw...)
	}
	g.initialisers = append(g.initialisers, m)
	return name
}

func (g *graph) int64s(v ...int64) string {
	var raw []byte
	for _, x := range v {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(x))
	}
	return g.tensor(typeInt64, raw, len(v))
}

func (g *graph) scalarInt(v int64) string {
	return g.tensor(typeInt64, binary.LittleEndian.AppendUint64(nil, uint64(v)))
}

// floats adds values in the graph's own precision.
func (g *graph) floats(v []float32, dims ...int) string {
	var raw []byte
	for _, x := range v {
		if g.precision == FP16 {
			raw = binary.LittleEndian.AppendUint16(raw, half(x))
		} else {
			raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
		}
	}
	return g.tensor(g.float(), raw, dims...)
}

// noise returns n values spread evenly over (−width, width). They are integers
// before one multiplication, so that every processor draws the same.
func (g *graph) noise(n int, width float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(g.rng.Int64N(1<<24)-1<<23) * (width / (1 << 23))
	}
	return out
}

func constant(n int, v float32) []float32 {
	out := make([]float32, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// half rounds to the nearest float16; values beyond its range become infinite.
func half(f float32) uint16 {
	bits := math.Float32bits(f)
	sign := uint16(bits >> 16 & 0x8000)
	exp := int(bits>>23&0xff) - 127 + 15
	frac := bits & 0x7fffff
	switch {
	case exp >= 31:
		return sign | 0x7c00
	case exp <= -10:
		return sign
	case exp <= 0:
		frac |= 0x800000
		shift := uint(14 - exp)
		return sign | uint16((frac+1<<(shift-1)-1+frac>>shift&1)>>shift)
	}
	// Rounding may carry into the exponent, which is then right too.
	v := uint32(exp)<<23 | frac
	return sign | uint16((v+0xfff+v>>13&1)>>13)
}

// value describes an input or output.
func value(name string, typ int64, dims ...string) message {
	var m message
	m.text(1, name)
	m.sub(2, func(m *message) {
		m.sub(1, func(m *message) {
			m.number(1, typ)
			m.sub(2, func(m *message) {
				for _, d := range dims {
					m.sub(1, func(m *message) {
						if n := 0; len(d) > 0 && d[0] >= '0' && d[0] <= '9' {
							_, _ = fmt.Sscan(d, &n) // it is digits
							m.number(1, int64(n))
							return
						}
						m.text(2, d)
					})
				}
			})
		})
	})
	return m
}

// model is the whole file.
func (g *graph) model() []byte {
	var m message
	m.number(1, 8)
	m.text(2, "ragdesk stand-in")
	m.sub(7, func(m *message) {
		for _, n := range g.nodes {
			m.bytes(1, n)
		}
		m.text(2, "main")
		for _, t := range g.initialisers {
			m.bytes(5, t)
		}
		for _, v := range g.inputs {
			m.bytes(11, v)
		}
		for _, v := range g.outputs {
			m.bytes(12, v)
		}
	})
	m.sub(8, func(m *message) { m.number(2, 17) })
	return m
}
