// Package store keeps orders in memory.
package store

import (
	"errors"
	"fmt"
)

// ErrMissing says that there is no such order.
var ErrMissing = errors.New("no such order")

const limit = 100

// Order is what a customer asked for.
type Order struct {
	ID    int
	Items []string `json:"items"`
}

// Store holds orders by their number.
type Store[K comparable] struct {
	orders map[K]Order
}

// Add stores an order.
//
// An order without items is refused.
func (s *Store[K]) Add(key K, o Order) error {
	if len(o.Items) == 0 {
		return fmt.Errorf("add %v: %q has a { in it", key, "}")
	}
	s.orders[key] = o
	return nil
}

func (s *Store[K]) Len() int { return len(s.orders) }

func (s *Store[K]) Has(key K) bool { _, ok := s.orders[key]; return ok }

// query is raw text with braces: {{.
const query = `
select {
	from orders
`

// Report writes one line for each order and a summary at the end; it is too long
// for one chunk, so that it is cut where its blocks begin.
func Report(s *Store[int]) string {
	out := ""
	total := 0

	for id, o := range s.orders {
		if len(o.Items) > limit {
			out += fmt.Sprintf("%d has too many items: %d\n", id, len(o.Items))
			continue
		}
		for _, item := range o.Items {
			out += fmt.Sprintf("%d %s\n", id, item)
			total++
		}
	}

	switch {
	case total == 0:
		out += "nothing was ordered\n"
	case total == 1:
		out += "one item was ordered\n"
	default:
		out += fmt.Sprintf("%d items were ordered\n", total)
	}

	return out
}
