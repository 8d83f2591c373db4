package measure

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
)

const (
	scanBuffer = 256 << 10
	// maxLine bounds the memory a file without line ends can ask for.
	maxLine = 1 << 20
)

// errLineTooLong is returned for a line of more than maxLine bytes.
var errLineTooLong = errors.New("line too long")

// scanLines calls line for each line of r with its number from 1, without the
// line end and, on the first line, without a byte-order mark. The slice is valid
// only during the call. It looks at ctx once a buffer.
func scanLines(ctx context.Context, r io.Reader, line func(n int, text []byte) error) (n int, err error) {
	buf := make([]byte, scanBuffer)
	held, bom := 0, true
	for {
		if err := ctx.Err(); err != nil {
			return n, err
		}
		got, readErr := r.Read(buf[held:])
		data := buf[:held+got]
		if bom && (len(data) >= 3 || readErr != nil) {
			data, bom = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), false
		}
		for !bom {
			end := bytes.IndexByte(data, '\n')
			if end < 0 {
				break
			}
			n++
			if err := line(n, data[:end]); err != nil {
				return n, err
			}
			data = data[end+1:]
		}
		held = copy(buf, data)
		if readErr != nil {
			if readErr != io.EOF {
				return n, readErr
			}
			if held > 0 {
				n++
				return n, line(n, buf[:held])
			}
			return n, nil
		}
		if held > maxLine {
			return n + 1, errLineTooLong
		}
		if held == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// isBlank reports ASCII white space, which is what separates fields.
func isBlank(b byte) bool { return b == ' ' || b-'\t' < 5 }

// splitFields puts the fields of line into fields and returns how many there
// are, counting those that found no room.
func splitFields(line []byte, fields [][]byte) int {
	n, i := 0, 0
	for {
		for i < len(line) && isBlank(line[i]) {
			i++
		}
		if i == len(line) {
			return n
		}
		start := i
		for i < len(line) && !isBlank(line[i]) {
			i++
		}
		if n < len(fields) {
			fields[n] = line[start:i]
		}
		n++
	}
}

// parseGrade reads a whole number from −MaxGrade to MaxGrade.
func parseGrade(b []byte) (float64, bool) {
	digits, sign := b, 1
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		if b[0] == '-' {
			sign = -1
		}
		digits = b[1:]
	}
	if len(digits) == 0 {
		return 0, false
	}
	n := 0
	for _, c := range digits {
		if c < '0' || c > '9' {
			return 0, false
		}
		if n = n*10 + int(c-'0'); n > MaxGrade {
			return 0, false
		}
	}
	return float64(sign * n), true
}

// parseScore reads a decimal number, as strconv.ParseFloat does; infinities are
// scores, NaN is not. Numbers of few digits take a short way: a whole number
// below 2^53 divided by a power of ten up to 10^22 rounds once, hence correctly
// (Clinger, How to read floating point numbers accurately, PLDI 1990).
func parseScore(b []byte) (float64, bool) {
	mantissa, digits, decimals, point := uint64(0), 0, 0, false
	i := 0
	if len(b) > 0 && b[0] == '-' {
		i = 1
	}
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c >= '0' && c <= '9':
			mantissa = mantissa*10 + uint64(c-'0')
			digits++
			if point {
				decimals++
			}
		case c == '.' && !point:
			point = true
		default:
			return parseAnyScore(b)
		}
	}
	if digits == 0 || digits > 19 || mantissa >= 1<<53 {
		return parseAnyScore(b)
	}
	x := float64(mantissa) / pow10(decimals)
	if b[0] == '-' {
		x = -x
	}
	return x, true
}

func parseAnyScore(b []byte) (float64, bool) {
	x, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) { // out of range is ±Inf or 0
		return 0, false
	}
	return x, x == x
}

// pow10 returns 10^n exactly, for n up to 19.
func pow10(n int) float64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return float64(p)
}
