package embed

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"golang.org/x/sync/errgroup"

	"ragdesk/backend/rag"
	"ragdesk/backend/text"
)

// minShare is the share of a query that must be in a language for its space to
// be searched: below it, a name in Latin letters inside a Chinese question would
// weigh as if the question were in two languages.
const minShare = 0.3

// Member is one model of a Mixed with the language it is for.
type Member struct {
	Language string
	Model    *Model
}

// Mixed is a space made of those of several models, each for the texts of its
// language, so that documents in several languages live in one library. The
// vector of a text is its model's, with zeros where the others' values stand:
//
//	v = (0, …, m(text), …, 0)
//
// so that the cosine of a query and a text is that of the text's own model,
// weighted by how much of the query is in the text's language:
//
//	q = (√s₁·m₁(query), …, √sₙ·mₙ(query)),  Σ sᵢ = 1
//
// A language that is less than three tenths of the query has no share. A text in
// no known language is the first member's. A Mixed of one model is that model.
type Mixed struct{ members []Member }

var _ rag.Embedder = (*Mixed)(nil)

// NewMixed returns the space of the given models, at least one, the first of
// which takes what has no language.
func NewMixed(members ...Member) (*Mixed, error) {
	if len(members) == 0 {
		return nil, errors.New("mixed embedder without models")
	}
	return &Mixed{members}, nil
}

// Members lists the models in the order of their spaces.
func (m *Mixed) Members() []Member { return m.members }

// Space returns the index of the member that embeds s.
func (m *Mixed) Space(s string) int {
	if len(m.members) == 1 {
		return 0
	}
	language := text.Language(s)
	for i, member := range m.members {
		if member.Language == language {
			return i
		}
	}
	return 0
}

// Dim sums the members' dimensions.
func (m *Mixed) Dim() int {
	sum := 0
	for _, member := range m.members {
		sum += member.Model.Dim()
	}
	return sum
}

// Fingerprint covers the members and their order; that of one model is its own.
func (m *Mixed) Fingerprint() string {
	if len(m.members) == 1 {
		return m.members[0].Model.Fingerprint()
	}
	h := sha256.New()
	for _, member := range m.members {
		fmt.Fprintf(h, "%s %s\n", member.Language, member.Model.Fingerprint())
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// offset is where a member's values begin in a vector.
func (m *Mixed) offset(space int) int {
	sum := 0
	for _, member := range m.members[:space] {
		sum += member.Model.Dim()
	}
	return sum
}

// Documents implements rag.Embedder.
func (m *Mixed) Documents(ctx context.Context, texts []string) ([][]float32, error) {
	encoded, err := m.Encode(ctx, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, e := range encoded {
		out[i] = e.Vector
	}
	return out, nil
}

// Placed is a text's vector in the mixed space with the token vectors of its own
// model.
type Placed struct {
	Encoded
	Space int
}

// Encode embeds documents and keeps their token vectors.
func (m *Mixed) Encode(ctx context.Context, texts []string) ([]Placed, error) {
	out := make([]Placed, len(texts))
	bySpace := make([][]int, len(m.members))
	for i, s := range texts {
		out[i].Space = m.Space(s)
		bySpace[out[i].Space] = append(bySpace[out[i].Space], i)
	}
	for space, indices := range bySpace {
		if len(indices) == 0 {
			continue
		}
		part := make([]string, len(indices))
		for n, i := range indices {
			part[n] = texts[i]
		}
		encoded, err := m.members[space].Model.Encode(ctx, part)
		if err != nil {
			return nil, err
		}
		for n, i := range indices {
			out[i].Encoded = encoded[n]
			out[i].Vector = m.widen(space, encoded[n].Vector)
		}
	}
	return out, ctx.Err()
}

// widen makes a vector of the whole of a member's.
func (m *Mixed) widen(space int, v []float32) []float32 {
	if len(m.members) == 1 {
		return v
	}
	out := make([]float32, m.Dim())
	m.place(out, space, v, 1)
	return out
}

// place writes a member's vector, scaled, where it stands in out.
func (m *Mixed) place(out []float32, space int, v []float32, scale float64) {
	at := m.offset(space)
	for i, x := range v {
		out[at+i] = float32(float64(x) * scale)
	}
}

// Query implements rag.Embedder.
func (m *Mixed) Query(ctx context.Context, query string) ([]float32, error) {
	if len(m.members) == 1 {
		return m.members[0].Model.Query(ctx, query)
	}
	out := make([]float32, m.Dim())
	g, inner := errgroup.WithContext(ctx)
	for space, share := range m.shares(query) {
		if share == 0 {
			continue
		}
		g.Go(func() error {
			v, err := m.members[space].Model.Query(inner, query)
			if err != nil {
				return err
			}
			m.place(out, space, v, math.Sqrt(share))
			return nil
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return out, err
}

// shares says how much of a query each member answers for; the sum is 1.
func (m *Mixed) shares(query string) []float64 {
	shares := make([]float64, len(m.members))
	parts := text.Languages(query)
	sum := 0.0
	for i, member := range m.members {
		if p := parts[member.Language]; p >= minShare {
			shares[i] = p
			sum += p
		}
	}
	if sum == 0 {
		shares[m.Space(query)], sum = 1, 1
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}
