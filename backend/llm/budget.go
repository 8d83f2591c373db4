package llm

import (
	"unicode"
	"unicode/utf8"

	"ragdesk/backend/rag"
)

// Estimate bounds the tokens of a text for a model whose vocabulary is not at
// hand.
type Estimate struct{ Low, High int }

// Plus adds two estimates.
func (e Estimate) Plus(f Estimate) Estimate { return Estimate{e.Low + f.Low, e.High + f.High} }

// EstimateTokens bounds the tokens of text.
//
// Low counts a token for each run of letters or digits between blanks, as every
// byte-pair and unigram vocabulary in use cuts there, and one for four characters
// of a script that is written without blanks. High counts a token for two letters
// begun, one for each other ASCII character but a blank before a letter, and for
// what is beyond ASCII its bytes, into which a vocabulary falls back at worst. Words
// of no language can take more: a random string up to a token for each letter.
func EstimateTokens(text string) Estimate {
	var e Estimate
	letters, dense := 0, 0
	inWord := false
	end := func() {
		e.High += (letters + 1) / 2
		letters = 0
	}
	for i, r := range text {
		letter := r < utf8.RuneSelf && unicode.IsLetter(r)
		digit := r >= '0' && r <= '9'
		if (letter || digit) && !inWord {
			e.Low++
		}
		inWord = letter || digit
		switch {
		case letter:
			letters++
			continue
		case r == ' ' && i+1 < len(text) && text[i+1] < utf8.RuneSelf && unicode.IsLetter(rune(text[i+1])):
			// The blank belongs to the word after it.
		case r < utf8.RuneSelf:
			e.High++
		default:
			e.High += utf8.RuneLen(r)
			if unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
				dense++
			}
		}
		end()
	}
	end()
	e.Low += dense / 4
	return e
}

// templateTokens is what a chat template adds to a turn at most: marks of role and
// of begin and end, a date line.
const templateTokens = 48

// estimateRequest bounds the tokens of all that is sent.
func estimateRequest(req rag.GenerateRequest) Estimate {
	e := EstimateTokens(req.Prompt).Plus(EstimateTokens(req.System))
	turns := 2
	for _, m := range req.Messages {
		e = e.Plus(EstimateTokens(m.Content))
		turns++
	}
	if !req.Raw {
		e.High += turns * templateTokens
	}
	return e
}

// Window is the window to ask for: wanted when it is not 0, else the smallest
// power of two from 2048 on that holds need tokens; never above the model's own,
// unless that is unknown (0). Windows come in few sizes because a host loads the
// model again for another one.
func Window(need, wanted, model int) int {
	w := wanted
	if w == 0 {
		for w = 2048; w < need; w *= 2 {
		}
	}
	if model > 0 && w > model {
		return model
	}
	return w
}
