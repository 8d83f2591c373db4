package models

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Precision is the number format of a graph's weights.
type Precision string

// The precisions.
const (
	FP32 Precision = "fp32"
	FP16 Precision = "fp16"
	// INT8 quantises activations as they come, over a whole batch.
	INT8 Precision = "int8"
	// Q4 keeps weights in four bits.
	Q4 Precision = "q4"
)

// Element types of tensors, numbered as in onnx.proto.
const (
	elementFloat   = 1
	elementFloat16 = 10
)

// port is an input or output of a graph.
type port struct {
	name    string
	element uint64
	// shape has −1 where a dimension is open.
	shape []int64
}

// signature is what a graph's file tells without being run.
type signature struct {
	inputs, outputs []port
	precision       Precision
	// data are the external files that hold weights, relative to the graph's folder.
	data []string
}

// readSignature reads an ONNX file's graph and skips its weights.
func readSignature(path string) (signature, error) {
	f, err := os.Open(path)
	if err != nil {
		return signature{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return signature{}, err
	}
	return scanSignature(f, info.Size())
}

// Numbers of the fields that are read, as in onnx.proto.
const (
	modelGraph = 7

	graphNode        = 1
	graphInitialiser = 5
	graphInput       = 11
	graphOutput      = 12

	nodeOperator = 4

	tensorDims     = 1
	tensorType     = 2
	tensorName     = 8
	tensorExternal = 13

	entryKey   = 1
	entryValue = 2

	valueName = 1
	valueType = 2

	typeTensor = 1

	tensorTypeElement = 1
	tensorTypeShape   = 2

	shapeDimension = 1

	dimensionValue = 1
)

func scanSignature(r io.ReaderAt, size int64) (signature, error) {
	s := signature{precision: FP32}
	var known []string
	graphs := 0
	file := &window{r: r, size: size}
	err := file.fields(0, size, func(f rawField) error {
		if f.number != modelGraph {
			return nil
		}
		graphs++
		return file.fields(f.start, f.end, func(g rawField) error {
			switch g.number {
			case graphNode:
				return s.node(file, g)
			case graphInitialiser:
				name, err := s.tensor(file, g)
				known = append(known, name)
				return err
			case graphInput, graphOutput:
				p, err := file.port(g)
				if g.number == graphInput {
					s.inputs = append(s.inputs, p)
				} else {
					s.outputs = append(s.outputs, p)
				}
				return err
			}
			return nil
		})
	})
	if err == nil && (graphs != 1 || len(s.outputs) == 0) {
		err = errors.New("no graph")
	}
	if err != nil {
		return signature{}, fmt.Errorf("read ONNX graph: %w", err)
	}
	// Older files list their weights among the inputs.
	slices.Sort(known)
	s.inputs = slices.DeleteFunc(s.inputs, func(p port) bool {
		_, weight := slices.BinarySearch(known, p.name)
		return weight
	})
	return s, nil
}

// node takes an operator that tells the precision.
func (s *signature) node(file *window, f rawField) error {
	return file.fields(f.start, f.end, func(g rawField) error {
		if g.number != nodeOperator {
			return nil
		}
		op, err := file.text(g)
		switch op {
		case "DynamicQuantizeLinear", "MatMulInteger", "DynamicQuantizeMatMul", "QLinearMatMul", "QuantizeLinear",
			"MatMulIntegerToFloat", "QAttention":
			s.precision = INT8
		case "MatMulNBits":
			s.precision = Q4
		}
		return err
	})
}

// tensor takes a weight's type and the file that holds it.
func (s *signature) tensor(file *window, f rawField) (name string, err error) {
	dims, element := 0, uint64(0)
	err = file.fields(f.start, f.end, func(g rawField) (err error) {
		switch g.number {
		case tensorDims:
			dims++
		case tensorType:
			element = g.value
		case tensorName:
			name, err = file.text(g)
		case tensorExternal:
			var key, value string
			err = file.fields(g.start, g.end, func(h rawField) (err error) {
				switch h.number {
				case entryKey:
					key, err = file.text(h)
				case entryValue:
					value, err = file.text(h)
				}
				return err
			})
			if key == "location" && !slices.Contains(s.data, value) {
				s.data = append(s.data, value)
			}
		}
		return err
	})
	if element == elementFloat16 && dims > 0 && s.precision == FP32 {
		s.precision = FP16
	}
	return name, err
}

// port reads a ValueInfoProto.
func (w *window) port(f rawField) (p port, err error) {
	err = w.fields(f.start, f.end, func(g rawField) (err error) {
		switch g.number {
		case valueName:
			p.name, err = w.text(g)
		case valueType:
			err = w.fields(g.start, g.end, func(h rawField) error {
				if h.number != typeTensor {
					return nil
				}
				return w.fields(h.start, h.end, func(t rawField) error {
					switch t.number {
					case tensorTypeElement:
						p.element = t.value
					case tensorTypeShape:
						return w.fields(t.start, t.end, func(d rawField) error {
							if d.number != shapeDimension {
								return nil
							}
							p.shape = append(p.shape, -1)
							return w.fields(d.start, d.end, func(v rawField) error {
								if v.number == dimensionValue && int64(v.value) > 0 {
									p.shape[len(p.shape)-1] = int64(v.value)
								}
								return nil
							})
						})
					}
					return nil
				})
			})
		}
		return err
	})
	return p, err
}

// rawField is a field of a protocol buffer: a number, or the range of bytes that
// a length-delimited one covers.
type rawField struct {
	number     uint64
	value      uint64
	start, end int64
}

// window reads a file through one buffer, which what is skipped never enters.
type window struct {
	r    io.ReaderAt
	size int64
	buf  []byte
	at   int64
}

// bytes returns up to n bytes at off; fewer only at the end of the file.
func (w *window) bytes(off int64, n int) ([]byte, error) {
	n = int(min(int64(n), w.size-off))
	if n <= 0 {
		return nil, io.ErrUnexpectedEOF
	}
	if off < w.at || off+int64(n) > w.at+int64(len(w.buf)) {
		buf := make([]byte, min(int64(max(n, 1<<16)), w.size-off))
		if _, err := w.r.ReadAt(buf, off); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		w.buf, w.at = buf, off
	}
	return w.buf[off-w.at : off-w.at+int64(n)], nil
}

// longestText bounds a name.
const longestText = 1 << 16

func (w *window) text(f rawField) (string, error) {
	if f.end-f.start > longestText {
		return "", fmt.Errorf("text of %d bytes", f.end-f.start)
	}
	if f.end == f.start {
		return "", nil
	}
	b, err := w.bytes(f.start, int(f.end-f.start))
	return string(b), err
}

// fields hands every field of the message in [start, end) to use.
func (w *window) fields(start, end int64, use func(rawField) error) error {
	if end > w.size {
		return io.ErrUnexpectedEOF
	}
	for at := start; at < end; {
		key, n, err := w.uvarint(at)
		if err != nil {
			return err
		}
		at += n
		f := rawField{number: key >> 3}
		switch key & 7 {
		case 0:
			if f.value, n, err = w.uvarint(at); err != nil {
				return err
			}
			at += n
		case 1:
			at += 8
		case 2:
			length, n, err := w.uvarint(at)
			if err != nil {
				return err
			}
			f.start = at + n
			if length > uint64(end-f.start) {
				return io.ErrUnexpectedEOF
			}
			f.end = f.start + int64(length)
			at = f.end
		case 5:
			at += 4
		default:
			return fmt.Errorf("wire type %d at byte %d", key&7, at)
		}
		if at > end || f.number == 0 {
			return io.ErrUnexpectedEOF
		}
		if err := use(f); err != nil {
			return err
		}
	}
	return nil
}

func (w *window) uvarint(at int64) (v uint64, n int64, err error) {
	b, err := w.bytes(at, binary.MaxVarintLen64)
	if err != nil {
		return 0, 0, err
	}
	v, size := binary.Uvarint(b)
	if size <= 0 {
		return 0, 0, fmt.Errorf("bad number at byte %d", at)
	}
	return v, int64(size), nil
}
