package dataset

import (
	"context"
	"fmt"

	"ragdesk/backend/rag"
)

// State says what became of one gold passage in a library.
type State string

// The states. Only passages that are StateBound or StateMoved are judged by.
const (
	// StateBound: found where it was labelled.
	StateBound State = "bound"
	// StateMoved: its document changed since, and it was found elsewhere in it.
	StateMoved State = "moved"
	// StateStale: its document changed or went, and it was not found again.
	StateStale State = "stale"
	// StateNotIndexed: the library does not have the document.
	StateNotIndexed State = "not_indexed"
	// StateAmbiguous: several documents fit the reference.
	StateAmbiguous State = "ambiguous"
	// StateNoQuote: the document does not have the quote.
	StateNoQuote State = "quote_not_found"
	// StateNoPlace: there are only offsets, and they do not fit the document.
	StateNoPlace State = "offsets_disagree"
)

// Label is a gold passage bound to a document.
type Label struct {
	State State `json:"state"`
	Grade int   `json:"grade"`
	// Ref is what the gold names.
	Ref    string         `json:"ref"`
	Doc    rag.DocumentID `json:"doc"`
	Source string         `json:"source"`
	// DocHash is the SHA-256 of the document's text when it was bound.
	DocHash string `json:"doc_hash"`
	// Whole says that the gold is the whole document; Span is then not set.
	Whole bool `json:"whole"`
	// Span is in bytes of the document's text.
	Span rag.Span `json:"span"`
	// Quote is the document's text at Span, by which it is found again.
	Quote string `json:"quote"`
	// Count is how often the quote occurs, when it was looked for.
	Count int `json:"count"`
	// Detail names what went wrong or was noticed.
	Detail string `json:"detail"`
}

// usable reports whether the label has a place.
func (l Label) usable() bool { return l.State == StateBound || l.State == StateMoved }

// placed reports whether the label has a place now or had one once.
func (l Label) placed() bool { return l.usable() || l.State == StateStale }

// Binding holds the labels of a question, in the order of its gold.
type Binding struct {
	Question string  `json:"question"`
	Labels   []Label `json:"labels"`
}

// Bind resolves the gold of one question to spans of documents. A quote is found
// whatever its blanks and width; given offsets decide where the text there is the
// quote, or where there is no quote. A problem with a passage is its State, not
// an error.
func (c *Corpus) Bind(ctx context.Context, q Question) (Binding, error) {
	bindings, err := c.BindAll(ctx, []Question{q}, nil)
	if err != nil {
		return Binding{}, err
	}
	return bindings[0], nil
}

// BindAll binds the gold of many questions, reading each document once. prior
// holds earlier bindings, by question and in any order, or nothing: a passage that
// was bound before is bound again by its text when its document changed, and is
// stale when that fails.
func (c *Corpus) BindAll(ctx context.Context, questions []Question, prior []Binding) ([]Binding, error) {
	before := make(map[string][]Label, len(prior))
	for _, b := range prior {
		before[b.Question] = b.Labels
	}
	out := make([]Binding, len(questions))
	jobs := map[*document][]bindJob{}
	for i, q := range questions {
		out[i] = Binding{Question: q.ID, Labels: make([]Label, len(q.Gold))}
		for j, g := range q.Gold {
			job := bindJob{gold: g, out: &out[i].Labels[j]}
			if had := before[q.ID]; len(had) == len(q.Gold) && had[j].placed() && had[j].Ref == g.Doc {
				job.had = &had[j]
			}
			if d := c.resolve(&job); d != nil {
				jobs[d] = append(jobs[d], job)
			}
		}
	}
	for _, d := range c.order {
		if len(jobs[d]) == 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		text, err := c.library.Text(ctx, d.id)
		if err != nil {
			return nil, fmt.Errorf("bind gold in %s: %w", d.source, err)
		}
		b := &body{text: text}
		hash := b.hash()
		for _, job := range jobs[d] {
			job.bind(b, hash)
		}
	}
	return out, nil
}

// bindJob is one gold passage that is being bound.
type bindJob struct {
	gold Gold
	// chunk is the span of the chunk that the gold names, or nil.
	chunk *rag.Span
	// had is what the passage was bound to before, or nil.
	had *Label
	out *Label
}

// resolve finds the document of a passage; without one it sets the state.
func (c *Corpus) resolve(job *bindJob) *document {
	g := job.gold
	*job.out = Label{Grade: g.Grade, Ref: g.Doc}
	docs, chunk := c.find(g.Doc)
	if job.had != nil {
		// A chunk's id means another place after another chunking.
		chunk = nil
		if d := c.again(*job.had); d != nil {
			docs = []*document{d}
		}
	}
	switch {
	case len(docs) == 1:
		job.chunk = chunk
		job.out.Doc, job.out.Source = docs[0].id, docs[0].source
		return docs[0]
	case len(docs) > 1:
		job.out.State, job.out.Detail = StateAmbiguous, g.Doc+": "+sources(docs)
	case job.had != nil:
		job.stale()
	default:
		job.out.State, job.out.Detail = StateNotIndexed, g.Doc
	}
	return nil
}

// again finds the document that a label was bound to: by its id, else by its
// source.
func (c *Corpus) again(had Label) *document {
	if d, ok := c.docs[had.Doc]; ok {
		return d
	}
	if docs := c.names[0][had.Source]; len(docs) == 1 {
		return docs[0]
	}
	return nil
}

// bind finds the passage in its document.
func (j *bindJob) bind(b *body, hash string) {
	l := j.out
	if j.had != nil {
		j.bindAgain(b, hash)
		return
	}
	l.State, l.DocHash = StateBound, hash
	if j.chunk != nil && (j.chunk.Start < 0 || j.chunk.End < j.chunk.Start || j.chunk.End > len(b.text)) {
		j.chunk = nil // the library contradicts itself; its document is still right
	}
	quote := j.gold.Quote
	if squeezed, _ := squeeze(quote); squeezed == "" {
		quote = ""
	}
	given, fits := rag.Span{}, false
	if j.gold.Points != nil {
		given, fits = b.bytesOf(*j.gold.Points)
	}
	switch {
	case fits && (quote == "" || sameText(b.text[given.Start:given.End], quote)):
		l.at(b, given)
	case quote != "":
		j.search(b, quote, given, fits)
	case j.gold.Points != nil:
		l.State = StateNoPlace
		l.Detail = fmt.Sprintf("%s [%d,%d)", j.gold.Doc, j.gold.Points.Start, j.gold.Points.End)
	case j.chunk != nil:
		l.at(b, *j.chunk)
	default:
		l.Whole = true
	}
}

// search looks for the quote, near the given place if that lies in the text, and
// in the named chunk before the rest of its document.
func (j *bindJob) search(b *body, quote string, given rag.Span, fits bool) {
	near := -1
	if fits {
		near = given.Start
	}
	s, n := b.find(quote, near)
	if j.chunk != nil {
		part := &body{text: b.text[j.chunk.Start:j.chunk.End]}
		if in, count := part.find(quote, -1); count > 0 {
			s, n = rag.Span{Start: j.chunk.Start + in.Start, End: j.chunk.Start + in.End}, count
		}
	}
	if n == 0 {
		j.out.State, j.out.Detail = StateNoQuote, j.gold.Doc+": "+shortened(quote)
		return
	}
	j.out.at(b, s)
	j.out.Count, j.out.Detail = n, j.gold.Doc+": "+shortened(quote)
	if p := j.gold.Points; p != nil {
		j.out.Detail = fmt.Sprintf("%s [%d,%d)", j.gold.Doc, p.Start, p.End)
	}
}

// bindAgain binds a passage that had a place before.
func (j *bindJob) bindAgain(b *body, hash string) {
	l, had := j.out, *j.had
	l.State, l.DocHash = StateBound, hash
	switch {
	case had.Whole:
		l.Whole = true
		return
	case had.DocHash == hash:
		l.Span, l.Quote = had.Span, had.Quote
		if had.State == StateBound {
			l.Count, l.Detail = had.Count, had.Detail
		}
		return
	}
	s, n := b.find(had.Quote, had.Span.Start)
	if n == 0 {
		j.stale()
		return
	}
	l.at(b, s)
	if s != had.Span {
		l.State, l.Detail = StateMoved, had.Source+": "+shortened(had.Quote)
	}
}

// stale keeps what is known of a place that is lost, in case it comes back.
func (j *bindJob) stale() {
	*j.out = *j.had
	j.out.State, j.out.Grade = StateStale, j.gold.Grade
	j.out.Detail = j.had.Source + ": " + shortened(j.had.Quote)
}

// at sets the place.
func (l *Label) at(b *body, s rag.Span) {
	l.Span, l.Quote = s, b.text[s.Start:s.End]
}

// Check binds a dataset and returns, besides the bindings, the problems and the
// notices of doing so, by line. prior are earlier bindings, as in BindAll.
func (c *Corpus) Check(ctx context.Context, ds Dataset, prior []Binding) (bindings []Binding, problems, notices []Problem, err error) {
	if bindings, err = c.BindAll(ctx, ds.Questions, prior); err != nil {
		return nil, nil, nil, err
	}
	for i, b := range bindings {
		q := ds.Questions[i]
		for j, l := range b.Labels {
			code, notice := l.code(q.Gold[j])
			p := Problem{q.Line, code, l.Detail}
			switch {
			case code == "" || q.Gold[j].Doc == "": // blank references are a problem already
			case notice:
				notices = append(notices, p)
			default:
				problems = append(problems, p)
			}
		}
	}
	return bindings, MergeProblems(problems), MergeProblems(notices), nil
}

// code is what a label is to be reported as, "" for nothing.
func (l Label) code(g Gold) (code string, notice bool) {
	switch l.State {
	case StateNotIndexed:
		return CodeUnknownDocument, false
	case StateAmbiguous:
		return CodeAmbiguousDocument, false
	case StateNoQuote:
		return CodeQuoteNotFound, false
	case StateNoPlace:
		return CodeOffsetsDisagree, false
	case StateStale:
		return CodeGoldStale, true
	case StateMoved:
		return CodeGoldMoved, true
	}
	switch {
	case l.Count > 0 && g.Points != nil:
		return CodeOffsetsDisagree, true
	case l.Count > 1:
		return CodeQuoteRepeated, true
	}
	return "", false
}
