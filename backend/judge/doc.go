// Package judge tells whether an answer says what its context says.
//
// A detector cuts an answer into claims and gives each one of four verdicts:
// supported, contradicted (the context says otherwise: intrinsic), unverifiable (the
// context does not say so: extrinsic), or abstained (the claim says that there is no
// answer). What a detector cannot judge, such as a language it does not know, is
// unscored with a reason, and never safe.
//
//	d := judge.NewEvidence(languages, fingerprint)
//	found, err := d.Detect(ctx, rag.Judged{Question: q, Context: passages, Answer: a})
//
// The package stands on ports: it gets tokenizers and token vectors, and imports no
// model.
package judge
