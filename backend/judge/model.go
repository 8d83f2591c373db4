package judge

import (
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"sync"
)

// Kinds of claims, each with a model of its own.
const (
	kindStatement = "statement"
	kindShort     = "short"
)

// weightsJSON are the numbers that bench/verify fitted.
//
//go:embed weights.json
var weightsJSON []byte

// Weights are a logistic regression over standardised features.
type Weights struct {
	// Features, by name; those that are not named have no weight.
	Features []Weight `json:"features"`
	Bias     float64  `json:"bias"`
}

// Weight is that of one feature x: Weight · (x − Mean)/Scale.
type Weight struct {
	Name   string  `json:"name"`
	Mean   float64 `json:"mean"`
	Scale  float64 `json:"scale"`
	Weight float64 `json:"weight"`
}

var models = sync.OnceValues(func() (map[string]Weights, error) {
	out := map[string]Weights{}
	if err := json.Unmarshal(weightsJSON, &out); err != nil {
		return nil, fmt.Errorf("read the detector's weights: %w", err)
	}
	return out, nil
})

// weightsVersion names the numbers.
func weightsVersion() string {
	sum := sha256.Sum256(weightsJSON)
	return hex.EncodeToString(sum[:4])
}

// model returns the regression for a language and kind of claim; a test holds that
// the embedded file has all of them.
func model(language, kind string) Weights {
	all, err := models()
	if err != nil {
		panic(err) // the file is part of the program
	}
	return all[language+"/"+kind]
}

// risk is the likelihood that a claim with these features is not supported.
func (m Weights) risk(f features) float64 {
	values := make(map[string]float64, len(f))
	for _, x := range f {
		values[x.Name] = x.Value
	}
	sum := m.Bias
	for _, w := range m.Features {
		sum += w.Weight * (values[w.Name] - w.Mean) / w.Scale
	}
	return 1 / (1 + math.Exp(-sum))
}
