package office_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ragdesk/backend/parse/guard"
	"ragdesk/backend/parse/office"
	"ragdesk/backend/rag"
)

func TestDump(t *testing.T) {
	for _, f := range strings.Fields(os.Getenv("DUMP")) {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		d, err := office.Parse(t.Context(), rag.Input{Source: f, Bytes: b}, guard.Env{Limits: guard.Defaults()})
		fmt.Printf("##### %s err=%v title=%q media=%s by=%s health=%+v warn=%v\n%s\n", f, err, d.Title, d.MediaType, d.ParsedBy, d.Health, d.Warnings, d.Text)
	}
}
