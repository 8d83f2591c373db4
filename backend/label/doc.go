// Package label has people judge claims, and compares them with a detector and with one
// another.
//
// A Source is what a detector judged: answers, cut into claims, with their verdicts.
// Draw takes a sample of its answers, the same share of each verdict and language. A
// person sees their claims without the verdicts. A Book is what people said; its
// labels are keyed by content, so that they outlive the run.
//
//	src := label.FromRun(stored)
//	picked := label.Draw(src, size, seed)
//	book := label.Fold(events)
//	agreement, err := label.Compare(ctx, book, src, options)
package label
