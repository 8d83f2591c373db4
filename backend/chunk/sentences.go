package chunk

import "ragdesk/backend/rag"

// sentenceRule packs whole sentences and repeats whole sentences.
func sentenceRule() rule {
	return rule{name: "sentences/1", repeat: true, units: sentenceUnits}
}

// sentenceUnits returns the sentences of doc.
func sentenceUnits(doc rag.Document, _ *pieces, _ tokens) []unit {
	path := headingPath{sections: doc.Sections}
	units := bySentences(doc.Text, rag.Span{End: len(doc.Text)})
	for i := range units {
		// A sentence may begin with the space before its heading.
		units[i].cut = cutUnit
		units[i].path = path.at(solid(doc.Text, units[i].start))
	}
	return units
}
