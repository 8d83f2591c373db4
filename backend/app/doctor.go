package app

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"ragdesk/backend/api"
	"ragdesk/backend/fault"
	"ragdesk/backend/i18n"
	"ragdesk/backend/lexical"
	"ragdesk/backend/models"
	"ragdesk/backend/rag"
)

// Doctor checks machine, assets, models, workspace and libraries. A check that
// fails is part of the report, not an error.
func (s *Service) Doctor(ctx context.Context, _ api.DoctorRequest) (api.DoctorReport, error) {
	d := doctor{lang: i18n.Language(ctx)}
	d.ok("machine", d.say("machine", fault.P("os", runtime.GOOS), fault.P("arch", runtime.GOARCH), fault.P("n", runtime.NumCPU())))
	d.run("onnxruntime", func() (string, error) {
		_, assets, err := s.runtime()
		if err != nil {
			return "", err
		}
		return assets.Runtime()
	})
	d.run("dictionary", func() (string, error) {
		terms := lexical.Analyzer{}.QueryTerms("动态召回")
		return strings.Join(terms, " · "), nil
	})
	for _, e := range models.Embedders() {
		d.run("embedder "+e.Name, func() (string, error) { return s.tryEmbedder(ctx, e.Name) })
	}
	installed, err := s.installed.list("")
	if err != nil {
		return api.DoctorReport{}, err
	}
	for _, m := range installed {
		d.run("model "+m.Name, func() (string, error) {
			found, err := s.installed.find(m.Name)
			return fmt.Sprintf("%s, %s", m.Task, strings.Join(words(found.Manifest.Precisions), "/")), err
		})
	}
	d.run("workspace", func() (string, error) {
		st, err := s.openStore(ctx)
		if err != nil {
			return "", err
		}
		return st.Dir(), st.Check(ctx)
	})
	if s.store == nil {
		return d.report(), ctx.Err()
	}
	libs, err := s.libraries(ctx)
	if err != nil {
		return api.DoctorReport{}, err
	}
	for _, lib := range libs {
		d.run("library "+lib.Name, func() (string, error) { return s.tryLibrary(ctx, lib) })
	}
	return d.report(), ctx.Err()
}

// tryEmbedder embeds a word.
func (s *Service) tryEmbedder(ctx context.Context, name string) (string, error) {
	model, err := s.embedder(name, "")
	if err != nil {
		return "", err
	}
	v, err := model.Query(ctx, "ragdesk 检查")
	if err != nil {
		return "", err
	}
	limits := make([]string, len(model.Members()))
	for i, member := range model.Members() {
		limits[i] = strconv.Itoa(member.Model.MaxTokens())
	}
	return i18n.Text(i18n.Language(ctx), "doctor.embedder", fault.P("dim", len(v)), fault.P("tokens", strings.Join(limits, "/"))), nil
}

// tryLibrary opens both indexes of a library, which checks and mends them.
func (s *Service) tryLibrary(ctx context.Context, lib rag.Library) (string, error) {
	snap, err := s.shelf.Open(ctx, lib.Name)
	if err != nil {
		return "", err
	}
	defer snap.Release()
	vectors, err := snap.Vectors(ctx)
	if err != nil {
		return "", err
	}
	l := snap.Library
	return i18n.Text(i18n.Language(ctx), "doctor.library", fault.P("documents", l.Documents), fault.P("chunks", l.Chunks),
		fault.P("indexed", snap.Text.Count()), fault.P("vectors", vectors.Count()), fault.P("revision", l.Revision)), nil
}

// doctor collects checks.
type doctor struct {
	lang   string
	checks []api.DoctorCheck
}

func (d *doctor) say(key string, params ...fault.Param) string {
	return i18n.Text(d.lang, "doctor."+key, params...)
}

func (d *doctor) ok(name, detail string) {
	d.checks = append(d.checks, api.DoctorCheck{Name: name, Status: "ok", Detail: detail})
}

func (d *doctor) run(name string, check func() (string, error)) {
	detail, err := check()
	if err == nil {
		d.ok(name, detail)
		return
	}
	body := i18n.ErrorBody(d.lang, err)
	d.checks = append(d.checks, api.DoctorCheck{Name: name, Status: "failed", Detail: detail, Error: &body})
}

func (d *doctor) report() api.DoctorReport {
	r := api.DoctorReport{OK: true, Checks: d.checks}
	for _, c := range d.checks {
		r.OK = r.OK && c.Status == "ok"
	}
	return r
}
