package measure_test

import (
	"fmt"

	"ragdesk/backend/measure"
)

// Three relevant chunks exist; the best stands first, another third, one was not
// found.
func Example() {
	p, err := measure.Judge(measure.Ranking{
		Items: []measure.Item{{ID: "c1", Grade: 2}, {ID: "c7"}, {ID: "c3", Grade: 1}},
		Ideal: []int{2, 1, 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	named, err := measure.ParseList("recall@5, MRR, nDCG@5, ndcg(gain=linear)@5")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, n := range named {
		m := n.Measure.Resolve(measure.DialectEval)
		fmt.Printf("%s: %s = %.4f\n", n.Name, m, p.Value(m, measure.DialectEval).Score)
	}
	// Output:
	// recall@5: Recall@5 = 0.6667
	// MRR: MRR = 1.0000
	// nDCG@5: nDCG(gain=exponential)@5 = 0.8473
	// ndcg(gain=linear)@5: nDCG(gain=linear)@5 = 0.7985
}
