package api

import (
	"time"

	"ragdesk/backend/runs"
)

// What people say of claims. A claim is labelled blind: it comes with its question, its
// answer and the passages, and without what a detector said. Labels belong to the
// content (question, claim, passages), so that they hold for every run in which the
// claim stands; a label that is changed or taken back stays in the history.
//
// States are supported, contradicted (the passages say otherwise), unverifiable (the
// passages do not say so), abstained (the claim says that there is no answer), and
// unclear for what a person cannot decide, which counts in no agreement.

// ReviewQueueRequest asks for the next claims to label.
type ReviewQueueRequest struct {
	// Source is a run, by id or a unique beginning of it, or the path of a file that
	// verify --json printed.
	Source string `json:"source"`
	// Sample is how many of its answers: "10%" of each verdict and language, at least
	// one, or a number such as "50". Empty means 10%.
	Sample string `json:"sample"`
	// Seed chooses which; the same seed chooses the same answers.
	Seed uint64 `json:"seed"`
	// By is who labels. Claims are given out until By has labelled them, whatever
	// others said.
	By string `json:"by"`
	// Limit bounds the claims that are returned; 0 means 20.
	Limit int `json:"limit"`
	// Labelled asks for the claims that By has labelled, the last one first, to read
	// or change them.
	Labelled bool `json:"labelled"`
}

// ReviewQueue are claims to label, those of one answer together, and how far By is.
type ReviewQueue struct {
	Source   string         `json:"source"`
	Sample   string         `json:"sample"`
	Seed     uint64         `json:"seed"`
	By       string         `json:"by"`
	Items    []ReviewItem   `json:"items"`
	Progress ReviewProgress `json:"progress"`
}

// ReviewItem is a claim without a detector's verdict.
type ReviewItem struct {
	// Key names the content; AnswerKey is equal for claims of one answer.
	Key       string `json:"key"`
	AnswerKey string `json:"answer_key"`
	Question  string `json:"question"`
	Answer    string `json:"answer"`
	Claim     string `json:"claim"`
	// Span is the claim's place in the answer, in code points.
	Span    Span     `json:"span"`
	Context []string `json:"context"`
	// Lang is the answer's language, empty when unknown.
	Lang string `json:"lang"`
	// Label is what By says of it now, null for nothing.
	Label *HumanLabel `json:"label"`
}

// HumanLabel is what a person said of a claim.
type HumanLabel struct {
	By string `json:"by"`
	// State is empty for a label that was taken back.
	State string    `json:"state" tstype:"'supported' | 'contradicted' | 'unverifiable' | 'abstained' | 'unclear' | ''"`
	Note  string    `json:"note"`
	At    time.Time `json:"at"`
}

// ReviewProgress counts the sample.
type ReviewProgress struct {
	// Answers and Claims are those of the sample, Of the answers of the source that can be
	// labelled.
	Answers int `json:"answers"`
	Claims  int `json:"claims"`
	Of      int `json:"of"`
	// Labelled claims have a label of By's, Unclear counts those among them that were not
	// decided.
	Labelled int `json:"labelled"`
	Unclear  int `json:"unclear"`
	// Left counts the answers of the source that cannot be labelled, by reason:
	// unscored, no_passages (an older run), repeated.
	Left map[string]int `json:"left" tstype:"{ [key: string]: number }"`
}

// LabelClaimRequest says what By thinks of a claim.
type LabelClaimRequest struct {
	// Source is where the claim was given out from; empty for a claim that was labelled
	// before.
	Source string `json:"source"`
	Key    string `json:"key"`
	By     string `json:"by"`
	// State replaces what By said before; empty takes it back.
	State string `json:"state" tstype:"'supported' | 'contradicted' | 'unverifiable' | 'abstained' | 'unclear' | ''"`
	Note  string `json:"note"`
}

// LabelClaimResult is a claim's labels by one person.
type LabelClaimResult struct {
	Key string `json:"key"`
	// Label is what holds now, null after it was taken back.
	Label *HumanLabel `json:"label"`
	// History is everything By ever said of the claim, the oldest first.
	History []HumanLabel `json:"history"`
}

// LabelsRequest asks what the workspace holds of labels.
type LabelsRequest struct{}

// Labels sums up what people said, and how far each detector agrees with them.
type Labels struct {
	// Claims counts the claims that have a label now.
	Claims    int                `json:"claims"`
	People    []LabelPerson      `json:"people"`
	Detectors []runs.Calibration `json:"detectors"`
}

// LabelPerson is someone who labelled.
type LabelPerson struct {
	By     string    `json:"by"`
	Labels int       `json:"labels"`
	Last   time.Time `json:"last"`
}

// AgreementRequest compares people with a detector, or two people.
type AgreementRequest struct {
	// Source is a run or a file of verdicts whose detector is compared; the corrected
	// metrics are those of it. Without one, Detector is needed.
	Source string `json:"source"`
	// Detector is a fingerprint, or the name of a detector with one fingerprint in the
	// labels; empty means that of Source.
	Detector string `json:"detector"`
	// By is whose labels are A; empty means everyone's: what more than half of those say
	// who decided.
	By string `json:"by"`
	// Against is another person, to compare two people; empty means the detector.
	Against string `json:"against"`
	// Seed is that of the bootstrap.
	Seed uint64 `json:"seed"`
}

// AgreementReport compares rater A, people, with rater B, a detector or a person.
type AgreementReport struct {
	runs.Agreement `tstype:",extends,required"`
}

// DisagreementsRequest asks for the claims on which A and B differ, after they were
// labelled; it takes what AgreementRequest does.
type DisagreementsRequest struct {
	AgreementRequest `tstype:",extends,required"`
	// Limit bounds them; 0 means 50.
	Limit int `json:"limit"`
}

// Disagreements are claims on which A and B differ, the worst first: supported against
// contradicted before any other.
type Disagreements struct {
	Total int            `json:"total"`
	Items []Disagreement `json:"items"`
}

// Disagreement is a claim with what both say.
type Disagreement struct {
	Item ReviewItem `json:"item"`
	// Labels are what people say of it, A what they say together.
	Labels []HumanLabel `json:"labels"`
	A      string       `json:"a"`
	B      string       `json:"b"`
	// Verdict is the detector's, with reason and evidence, null against a person or where
	// the source is not given.
	Verdict *VerifiedClaim `json:"verdict"`
}

// ExportLabelsRequest asks for claims to label as JSON Lines, blind; without a source,
// for all labels of the workspace.
type ExportLabelsRequest struct {
	Source string `json:"source"`
	Sample string `json:"sample"`
	Seed   uint64 `json:"seed"`
}

// LabelsExport is a file of claims.
type LabelsExport struct {
	Content string `json:"content"`
	Answers int    `json:"answers"`
	Claims  int    `json:"claims"`
	// Of counts the answers of the source, Left those that cannot be labelled by reason.
	Of   int            `json:"of"`
	Left map[string]int `json:"left" tstype:"{ [key: string]: number }"`
}

// ImportLabelsRequest reads labels from a file that ExportLabels made and a person filled
// in.
type ImportLabelsRequest struct {
	File string `json:"file"`
	// By is who labelled, where a line does not say.
	By string `json:"by"`
}

// ImportedLabels counts lines.
type ImportedLabels struct {
	Lines int `json:"lines"`
	// Added labels are new, Changed ones replace another of the same person, Unchanged ones
	// were there, Blank lines have no state.
	Added     int `json:"added"`
	Changed   int `json:"changed"`
	Unchanged int `json:"unchanged"`
	Blank     int `json:"blank"`
}
