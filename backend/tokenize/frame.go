package tokenize

import (
	"encoding/json"
	"fmt"

	"ragdesk/backend/rag"
)

// Encoder is a model's tokenizer with the special tokens the model expects.
type Encoder interface {
	rag.Tokenizer
	// Encode returns the ids a model takes for s: the opening token, at most
	// limit−2 content tokens, the closing token. truncated tells how many content
	// tokens were left out. A limit below 2 gives the two special tokens alone.
	Encode(s string, limit int) (ids []int64, truncated int)
	// EncodePair returns what a model takes for a query and a passage, at most
	// limit ids with the special ones. What is too long is cut at the passage's
	// end. Only a query that leaves the passage fewer than LeastPassage tokens, or
	// half of the room where that is less, is cut itself.
	EncodePair(query, passage string, limit int) Pair
}

// LeastPassage is how many content tokens of a passage, if it has them, stay
// however long the query is.
const LeastPassage = 64

// Pair is the input of a model that reads two texts at once.
type Pair struct {
	// IDs and Types are as long as each other.
	IDs, Types []int64
	// QueryCut and PassageCut count the content tokens left out.
	QueryCut, PassageCut int
}

// frame is where a model's special tokens stand: open A shut, and
// open A between B shut.
type frame struct {
	open, shut int64
	between    []int64
	// second is the token type of B and of the last token; the others have 0.
	second int64
}

func bertFrame(open, shut int32) frame {
	return frame{int64(open), int64(shut), []int64{int64(shut)}, 1}
}

func robertaFrame(open, shut int32) frame {
	return frame{int64(open), int64(shut), []int64{int64(shut), int64(shut)}, 0}
}

func (f frame) single(tokens []rag.Token, limit int) (ids []int64, truncated int) {
	n := min(len(tokens), max(limit-2, 0))
	ids = append(make([]int64, 0, n+2), f.open)
	return append(appendIDs(ids, tokens[:n]), f.shut), len(tokens) - n
}

func (f frame) pair(query, passage []rag.Token, limit int) Pair {
	room := max(limit-2-len(f.between), 0)
	kept := min(len(passage), LeastPassage, room/2)
	q := min(len(query), room-kept)
	p := min(len(passage), room-q)
	first := q + 1 + len(f.between)
	ids := make([]int64, 0, first+p+1)
	ids = append(appendIDs(append(ids, f.open), query[:q]), f.between...)
	ids = append(appendIDs(ids, passage[:p]), f.shut)
	types := make([]int64, len(ids))
	for i := first; i < len(types); i++ {
		types[i] = f.second
	}
	return Pair{ids, types, len(query) - q, len(passage) - p}
}

func appendIDs(ids []int64, tokens []rag.Token) []int64 {
	for _, tok := range tokens {
		ids = append(ids, int64(tok.ID))
	}
	return ids
}

// postProcessor is the part of a tokenizer.json that says where special tokens
// stand.
type postProcessor struct {
	Type          string         `json:"type"`
	Single        []templatePart `json:"single"`
	Pair          []templatePart `json:"pair"`
	SpecialTokens map[string]struct {
		IDs []int32 `json:"ids"`
	} `json:"special_tokens"`
	CLS, SEP namedID
}

type templatePart struct {
	SpecialToken, Sequence *struct {
		ID     string `json:"id"`
		TypeID int64  `json:"type_id"`
	}
}

// namedID is a token with its id, ["</s>", 2].
type namedID struct {
	id    int32
	given bool
}

// UnmarshalJSON reads the pair.
func (n *namedID) UnmarshalJSON(raw []byte) error {
	var name string
	parts := []any{&name, &n.id}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return err
	}
	n.given = len(parts) == 2
	return nil
}

// frame returns the frame the file asks for. A nil processor asks for none: ok is
// false.
func (p *postProcessor) frame() (f frame, ok bool, err error) {
	if p == nil {
		return frame{}, false, nil
	}
	switch p.Type {
	case "TemplateProcessing":
		f, err := p.template()
		return f, err == nil, err
	case "BertProcessing", "RobertaProcessing":
		if !p.CLS.given || !p.SEP.given {
			return frame{}, false, fmt.Errorf("post-processor %s without cls and sep", p.Type)
		}
		if p.Type == "BertProcessing" {
			return bertFrame(p.CLS.id, p.SEP.id), true, nil
		}
		return robertaFrame(p.CLS.id, p.SEP.id), true, nil
	}
	return frame{}, false, fmt.Errorf("post-processor type %q is not known", p.Type)
}

// template reads the general form, as far as it has a frame's shape.
func (p *postProcessor) template() (frame, error) {
	single, err := p.shape(p.Single)
	if err != nil {
		return frame{}, fmt.Errorf("template of one text: %w", err)
	}
	f := frame{open: single.open, shut: single.shut}
	if len(single.between) > 0 {
		return frame{}, fmt.Errorf("template of one text has two")
	}
	pair, err := p.shape(p.Pair)
	if err != nil {
		return frame{}, fmt.Errorf("template of two texts: %w", err)
	}
	if pair.open != f.open || pair.shut != f.shut || len(pair.between) == 0 {
		return frame{}, fmt.Errorf("templates of one and of two texts differ")
	}
	return pair, nil
}

// shape reads the parts of a template: a token, A, and either a token or tokens,
// B, a token.
func (p *postProcessor) shape(parts []templatePart) (f frame, err error) {
	var specials [3][]int64
	texts := 0
	for _, part := range parts {
		switch {
		case part.Sequence != nil:
			if texts++; texts > 2 || part.Sequence.ID != "AB"[texts-1:texts] {
				return frame{}, fmt.Errorf("text %q out of order", part.Sequence.ID)
			}
			if texts == 2 {
				f.second = part.Sequence.TypeID
			} else if part.Sequence.TypeID != 0 {
				return frame{}, fmt.Errorf("token type %d of the first text", part.Sequence.TypeID)
			}
		case part.SpecialToken != nil:
			for _, id := range p.SpecialTokens[part.SpecialToken.ID].IDs {
				specials[texts] = append(specials[texts], int64(id))
			}
		}
	}
	last := specials[texts]
	if texts == 0 || len(specials[0]) != 1 || len(last) != 1 {
		return frame{}, fmt.Errorf("it does not start and end with one special token")
	}
	f.open, f.shut = specials[0][0], last[0]
	if texts == 2 {
		f.between = specials[1]
	}
	return f, nil
}
