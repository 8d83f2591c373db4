package pdf_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"ragdesk/backend/parse/pdf"
	"ragdesk/backend/rag"
)

// book is a file of n pages of running text, about 2,200 characters each, with a
// header, a page number and a table on every tenth.
func book(n int) []byte {
	f := &file{}
	words := strings.Fields("the pump valve pressure operator shall inspect record replace filter oil seal weekly before after each run of machine under normal load and report any leak to maintenance without delay")
	k := 0
	for i := range n {
		var b strings.Builder
		b.WriteString(show("F1", 9, 72, 810, "Maintenance Handbook"))
		b.WriteString(show("F2", 14, 72, 780, fmt.Sprintf("Section %d", i+1)))
		for l := range 44 {
			line := ""
			for len(line) < 76 {
				k = (k*31 + 7) % 9973
				line += words[k%len(words)] + " "
			}
			if i%10 == 0 && l > 30 {
				b.WriteString(show("F1", 10, 72, 750-float64(l)*15, fmt.Sprintf("Part %d", l)) + show("F1", 10, 250, 750-float64(l)*15, strconv.Itoa(k)) + show("F1", 10, 400, 750-float64(l)*15, "in stock"))
				continue
			}
			b.WriteString(show("F1", 10, 72, 750-float64(l)*15, strings.TrimSpace(line)))
		}
		b.WriteString(show("F1", 9, 290, 30, strconv.Itoa(i+1)))
		f.page(b.String(), "")
	}
	return f.bytes()
}

// resident is the process's memory in MiB that is in use, 0 where it is not told.
func resident() float64 {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.Fields(string(b))[1])
	return float64(n*os.Getpagesize()) / (1 << 20)
}

// BenchmarkBook reads a file of 500 pages and reports pages a second and memory.
func BenchmarkBook(b *testing.B) {
	const pages = 500
	data := book(pages)
	r := pdf.NewReader()
	defer r.Close()
	e := env(r)
	if err := r.Warm(b.Context(), e); err != nil {
		b.Fatal(err)
	}
	before := resident()
	peak := before
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				peak = max(peak, resident())
			}
		}
	}()
	for b.Loop() {
		doc, err := r.Parse(b.Context(), rag.Input{Source: "book.pdf", Bytes: data}, e)
		if err != nil || doc.Health.PagesWithText != pages {
			b.Fatal(err, doc.Health)
		}
	}
	close(stop)
	<-done
	b.ReportMetric(float64(pages*b.N)/b.Elapsed().Seconds(), "pages/s")
	b.ReportMetric(before, "MiB-before")
	b.ReportMetric(peak, "MiB-peak")
	runtime.KeepAlive(data)
}
