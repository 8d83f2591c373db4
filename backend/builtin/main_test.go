package builtin_test

import (
	"os"
	"testing"

	"ragdesk/backend/app"
)

func TestMain(m *testing.M) {
	app.ParserMain()
	os.Exit(m.Run())
}
