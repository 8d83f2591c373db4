package pptx

import "ragdesk/backend/parse/count"

// systems are the names package count knows for those of DrawingML.
var systems = map[string]string{
	"arabic": "decimal", "arabicDb": "decimalFullWidth", "alphaLc": "lowerLetter", "alphaUc": "upperLetter",
	"romanLc": "lowerRoman", "romanUc": "upperRoman", "circleNumDb": "decimalEnclosedCircle",
	"circleNumWdWhite": "decimalEnclosedCircle", "circleNumWdBlack": "decimalEnclosedCircle",
	"ea1Chs": "chineseCountingThousand", "ea1Cht": "chineseCountingThousand", "ea1JpnKor": "japaneseCounting",
	"ea1JpnChsDb": "ideographDigital",
}

// countAs writes n in a system of DrawingML.
func countAs(system string, n int) string { return count.Format(systems[system], n) }
