package i18n_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ragdesk/backend/i18n"
)

// use is a place in the program's source that asks for a text.
type use struct {
	key string
	// params are those given; known is false when the source does not tell.
	params []string
	known  bool
	at     string
}

// source is the parsed source of a package's folder.
type source struct {
	files   []*ast.File
	imports []string // folders of this module
}

// parseAll parses all packages below backend, tests left out.
func parseAll(t *testing.T, files *token.FileSet) map[string]*source {
	t.Helper()
	all := map[string]*source{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if all[dir] == nil {
			all[dir] = &source{}
		}
		all[dir].files = append(all[dir].files, f)
		for _, i := range f.Imports {
			if name, ours := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), "ragdesk/backend/"); ours {
				all[dir].imports = append(all[dir].imports, "../"+name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// linked are the packages that the program is made of.
func linked(all map[string]*source) map[string]bool {
	seen := map[string]bool{}
	todo := []string{"../cli", "../web", "../desktop"}
	for len(todo) > 0 {
		dir := todo[0]
		todo = todo[1:]
		if seen[dir] || all[dir] == nil {
			continue
		}
		seen[dir] = true
		todo = append(todo, all[dir].imports...)
	}
	return seen
}

// uses gathers what the source asks of the catalogue: the codes of faults and
// notices and the words of the command line, of the packages the program is made
// of and of those that nothing imports yet.
func uses(t *testing.T) (program, others []use) {
	t.Helper()
	s := scanner{files: token.NewFileSet(), constants: map[string]string{}}
	all := parseAll(t, s.files)
	for _, src := range all {
		for _, f := range src.files {
			s.gatherConstants(f)
		}
	}
	in := linked(all)
	defer func() {
		for _, at := range s.unseen {
			t.Errorf("%s: the scan does not see which texts this asks for", at)
		}
	}()
	for dir, src := range all {
		s.found = nil
		for _, f := range src.files {
			for _, d := range f.Decls {
				s.declaration(f.Name.Name, d)
			}
		}
		if in[dir] {
			program = append(program, s.found...)
		} else {
			others = append(others, s.found...)
		}
	}
	if len(program) < 150 {
		t.Fatalf("only %d uses were found: does the scan still see the source?", len(program))
	}
	return program, others
}

type scanner struct {
	files *token.FileSet
	// constants are string constants by name, bare and with their package.
	constants map[string]string
	found     []use
	// unseen are places whose texts the scan cannot tell.
	unseen []string
}

func (s *scanner) gatherConstants(f *ast.File) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, spec := range g.Specs {
			v := spec.(*ast.ValueSpec)
			for i, name := range v.Names {
				if i < len(v.Values) {
					if text, ok := literal(v.Values[i]); ok {
						s.constants[f.Name.Name+"."+name.Name] = text
					}
				}
			}
		}
	}
}

// warnings looks at the constants that name warnings, Warn…, which parsers give.
func (s *scanner) warnings(v *ast.ValueSpec) {
	for i, name := range v.Names {
		if isWarning(name.Name) && i < len(v.Values) {
			if code, ok := literal(v.Values[i]); ok {
				s.found = append(s.found, use{"notice." + code, []string{"detail"}, true, s.files.Position(name.Pos()).String()})
			}
		}
	}
}

// literal is the text of a string literal.
func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(l.Value)
	return text, err == nil
}

// declaration looks through one declaration of a package.
func (s *scanner) declaration(pkg string, d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			s.call(pkg, d, n)
		case *ast.CompositeLit:
			s.notice(pkg, d, n)
		case *ast.ValueSpec:
			s.warnings(n)
		}
		return true
	})
}

// call looks at fault.New, fault.Wrap, Notify and the command line's t.
func (s *scanner) call(pkg string, d ast.Decl, c *ast.CallExpr) {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return
	}
	receiver := ""
	if id, ok := sel.X.(*ast.Ident); ok {
		receiver = id.Name
	}
	first, prefix := 0, ""
	switch {
	case receiver == "fault" && sel.Sel.Name == "New":
		prefix = "error."
	case receiver == "fault" && sel.Sel.Name == "Wrap":
		first, prefix = 1, "error."
	case sel.Sel.Name == "Notify" && len(c.Args) > 0 && isText(c.Args[0]):
		prefix = "notice."
	case sel.Sel.Name == "t" && pkg == "cli":
		prefix = "cli."
	case sel.Sel.Name == "group" && pkg == "cli":
		first, prefix = 1, "cli."
	case receiver == "i18n" && sel.Sel.Name == "Text":
		first = 1
	default:
		return
	}
	code := c.Args[first]
	params, known := given(c.Args[first+1:], c.Ellipsis.IsValid())
	if b, ok := code.(*ast.BinaryExpr); ok {
		known = false // one list of parameters for several texts
		if text, _ := literal(b.X); text == "cli." || text == "error." || text == "notice." {
			return // the catalogue's own look-up
		}
	}
	at := s.files.Position(c.Pos()).String()
	keys := s.values(pkg, d, code, prefix)
	name, isName := code.(*ast.Ident)
	_, computed := code.(*ast.BinaryExpr)
	if len(keys) == 0 && (computed || isName && !isParameter(d, name.Name)) {
		s.unseen = append(s.unseen, at)
	}
	for _, key := range keys {
		s.found = append(s.found, use{prefix + key, params, known, at})
	}
}

// isParameter reports whether d is a function with such a parameter; the callers
// then say what it is.
func isParameter(d ast.Decl, name string) bool {
	f, ok := d.(*ast.FuncDecl)
	return ok && slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		return slices.ContainsFunc(p.Names, func(n *ast.Ident) bool { return n.Name == name })
	})
}

func isText(e ast.Expr) bool { _, ok := literal(e); return ok }

// notice looks at literals of rag.Notice, whose one parameter is detail, and of
// lists of them.
func (s *scanner) notice(pkg string, d ast.Decl, c *ast.CompositeLit) {
	if list, ok := c.Type.(*ast.ArrayType); ok && isNotice(list.Elt) {
		for _, e := range c.Elts {
			if element, ok := e.(*ast.CompositeLit); ok && element.Type == nil {
				s.noticeCode(pkg, d, element)
			}
		}
	}
	if isNotice(c.Type) {
		s.noticeCode(pkg, d, c)
	}
}

func isNotice(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name == "rag" && sel.Sel.Name == "Notice"
}

func (s *scanner) noticeCode(pkg string, d ast.Decl, c *ast.CompositeLit) {
	for _, e := range c.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		if k, ok := kv.Key.(*ast.Ident); !ok || k.Name != "Code" {
			continue
		}
		for _, key := range s.values(pkg, d, kv.Value, "notice.") {
			s.found = append(s.found, use{"notice." + key, []string{"detail"}, true, s.files.Position(c.Pos()).String()})
		}
	}
}

// values are the texts that an expression can be: a literal, a constant, what a
// variable of the declaration is set to, or, for "literal" + x, all keys that
// begin with the literal.
func (s *scanner) values(pkg string, d ast.Decl, e ast.Expr, prefix string) []string {
	if text, ok := literal(e); ok {
		return []string{text}
	}
	switch e := e.(type) {
	case *ast.Ident:
		if text, ok := s.constants[pkg+"."+e.Name]; ok {
			return []string{text}
		}
		return assigned(d, e.Name)
	case *ast.SelectorExpr:
		if id, ok := e.X.(*ast.Ident); ok {
			if text, ok := s.constants[id.Name+"."+e.Sel.Name]; ok {
				return []string{text}
			}
		}
	case *ast.BinaryExpr:
		if text, ok := literal(e.X); ok {
			return beginning(prefix, text)
		}
	}
	return nil
}

// assigned are the literals that a declaration sets a variable to.
func assigned(d ast.Decl, name string) []string {
	var out []string
	ast.Inspect(d, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for i, left := range a.Lhs {
			if id, ok := left.(*ast.Ident); ok && id.Name == name && i < len(a.Rhs) {
				if text, ok := literal(a.Rhs[i]); ok {
					out = append(out, text)
				}
			}
		}
		return true
	})
	return out
}

func beginning(prefix, text string) []string {
	var out []string
	for key := range i18n.Keys(i18n.English) {
		if rest, ok := strings.CutPrefix(key, prefix); ok && strings.HasPrefix(rest, text) {
			out = append(out, rest)
		}
	}
	return out
}

// given are the keys of fault.P arguments.
func given(args []ast.Expr, spread bool) (params []string, known bool) {
	for _, a := range args {
		c, ok := a.(*ast.CallExpr)
		if !ok || len(c.Args) == 0 {
			return nil, false
		}
		key, ok := literal(c.Args[0])
		if sel, isSel := c.Fun.(*ast.SelectorExpr); !ok || !isSel || sel.Sel.Name != "P" {
			return nil, false
		}
		params = append(params, key)
	}
	return params, !spread
}

// TestEverythingTheProgramSaysIsInTheCatalogue holds the source against both
// catalogues: each code has its text, and each text has the parameters it asks
// for wherever the source shows which are given.
func TestEverythingTheProgramSaysIsInTheCatalogue(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	program, others := uses(t)
	for _, u := range others {
		used[u.key] = true
	}
	for _, u := range program {
		used[u.key] = true
		for _, lang := range languages() {
			text, ok := i18n.Keys(lang)[u.key]
			if !ok {
				t.Errorf("%s: %s has no text in %s", u.at, u.key, lang)
				continue
			}
			for _, p := range placeholders(text) {
				if u.known && !slices.Contains(u.params, p) {
					t.Errorf("%s: the text of %s in %s asks for {%s}, given are %v", u.at, u.key, lang, p, u.params)
				}
			}
		}
	}
	// Codes that package fault itself makes of other errors, and cobra's own.
	for _, code := range []string{
		"cancelled", "timeout", "internal", "usage",
		"json_syntax", "json_syntax_line", "json_end", "json_type", "json_field", "json_other",
	} {
		used["error."+code] = true
	}
	for key := range i18n.Keys(i18n.English) {
		owned := strings.HasPrefix(key, "error.") || strings.HasPrefix(key, "notice.") || strings.HasPrefix(key, "cli.")
		if owned && !used[key] {
			t.Errorf("nothing asks for %s", key)
		}
	}
}

// isWarning reports whether a constant is named Warn and something.
func isWarning(name string) bool {
	rest, ok := strings.CutPrefix(name, "Warn")
	return ok && rest != "" && 'A' <= rest[0] && rest[0] <= 'Z'
}
