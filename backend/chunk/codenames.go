package chunk

import (
	"slices"
	"strings"
)

// isModifier reports whether word may stand before the word that says what is
// declared.
func isModifier(word string) bool {
	switch word {
	case "export", "default", "declare", "abstract", "public", "private", "protected", "internal", "fileprivate", "open", "final",
		"static", "async", "override", "sealed", "partial", "data", "inline", "value", "inner", "unsafe", "const", "pub", "extern",
		"virtual", "readonly", "synchronized", "native", "strictfp", "transient", "volatile", "suspend", "operator", "infix", "tailrec",
		"external", "lateinit", "mutating", "nonmutating", "convenience", "required", "indirect", "dynamic", "weak", "lazy", "constexpr",
		"consteval", "friend", "explicit", "typename", "implicit", "case", "non", "expect", "actual", "annotation", "companion", "base",
		"mixin", "late", "new", "crate", "typedef", "ref", "fixed", "global", "__extension__", "__inline", "get", "set", "accessor":
		return true
	}
	return false
}

// isControl reports whether word begins a statement that only looks like a call
// with a block.
func isControl(word string) bool {
	switch word {
	case "if", "for", "while", "switch", "catch", "try", "else", "do", "return", "foreach", "lock", "using", "match", "when", "loop",
		"guard", "with", "defer", "go", "select", "throw", "await", "yield", "case", "import", "package", "use", "assert":
		return true
	}
	return false
}

// noCallee are words before a parenthesis that is no parameter list.
var noCallee = []string{
	"__attribute__", "__declspec", "alignas", "decltype", "noexcept", "throw", "requires", "sizeof", "pub", "in", "typeof", "_Alignas",
}

// classify says what the lexemes [i, stop) declare, which a block follows or not.
func (b *braceOutline) classify(i, stop int, block bool) (itemKind, []string) {
	switch b.name {
	case "go":
		return b.classifyGo(i, stop)
	case "css", "sass", "less":
		return itemOther, nil
	}
	callee, assigned := -1, -1 // the word before the first parameter list; before the first =
	for j := i; j < stop; j++ {
		switch word := b.word(j); {
		case b.is(j, '@'):
			j = b.skipAnnotation(j, stop)
			continue
		case b.is(j, '<') && (b.word(j-1) == "template" || b.word(j-1) == "impl" || slices.Contains(b.functions, b.word(j-1))):
			j = b.skipAngles(j, stop)
			continue
		case b.is(j, '(') && callee < 0 && assigned < 0:
			callee = b.calleeOf(i, j)
		case b.is(j, '=') && assigned < 0 && !b.is(j+1, '>') && !b.is(j-1, '=') && callee < 0 && b.word(j-1) != "operator":
			assigned = j - 1
		case assigned < 0 && callee < 0 && slices.Contains(b.types, word) && !b.returnsStruct(j, stop) && (b.word(j+1) != "" || word == "impl" || word == "extension" || b.is(j+1, '{') || j+1 == stop || b.all[j+1].kind == lexText):
			if !block && word != "object" && b.name != "kotlin" {
				return itemOther, nil // a forward declaration, "mod x;"
			}
			if word == "class" && b.word(j-1) == "enum" || word == "struct" && b.word(j-1) == "enum" {
				return itemType, crumbs(b.word(j + 1))
			}
			return itemType, b.typeName(j, stop)
		case slices.Contains(b.functions, word) && callee < 0 && (assigned < 0 || word == "function"):
			return itemFunction, b.functionName(i, j, stop, assigned)
		case j == i && isControl(word):
			return itemOther, nil
		case word == "extern" && block && j+2 == stop && b.all[j+1].kind == lexText:
			return itemType, nil // extern "C" {
		}
		if b.all[j].match > j {
			j = min(b.all[j].match, stop) // names stand outside of brackets
		}
	}
	switch {
	case assigned >= 0 && b.isArrow(assigned):
		return itemFunction, crumbs(b.dotted(assigned))
	case callee >= 0 && block && assigned < 0 && !b.calls(i, callee):
		return itemFunction, strings.Split(b.qualified(callee), "::")
	case b.operator(i, stop) != "" && block:
		return itemFunction, crumbs(b.operator(i, stop))
	}
	return itemOther, nil
}

// calleeOf returns the name, in the statement from i, whose parameters the
// parenthesis at j opens, or -1.
func (b *braceOutline) calleeOf(i, j int) int {
	k := j - 1
	if b.is(k, '>') { // name<T>(
		for depth, first := 0, max(i, k-60); k > first; k-- {
			if b.is(k, '>') {
				depth++
			} else if b.is(k, '<') {
				if depth--; depth == 0 {
					k--
					break
				}
			}
		}
	}
	if k < i || b.word(k) == "" || b.word(k) == "operator" || slices.Contains(noCallee, b.word(k)) {
		return -1
	}
	return k
}

// classifyGo says what a statement of Go declares.
func (b *braceOutline) classifyGo(i, stop int) (itemKind, []string) {
	switch b.word(i) {
	case "type":
		return itemType, crumbs(b.word(i + 1))
	case "func":
		if !b.is(i+1, '(') || b.all[i+1].match == 0 {
			return itemFunction, crumbs(b.word(i + 1))
		}
		closing := b.all[i+1].match
		receiver := ""
		for j := i + 2; j < closing && !b.is(j, '['); j++ {
			if word := b.word(j); word != "" {
				receiver = word
			}
		}
		if closing < stop || stop == len(b.all) {
			return itemFunction, crumbs(receiver, b.word(closing+1))
		}
	}
	return itemOther, nil
}

// skipAnnotation returns the last lexeme of the annotation at j.
func (b *braceOutline) skipAnnotation(j, stop int) int {
	if b.word(j+1) == "interface" { // of Java
		return j
	}
	j++
	for j+2 < stop && b.is(j+1, '.') {
		j += 2
	}
	if j+1 < stop && b.is(j+1, '(') && b.all[j+1].match > 0 {
		return min(b.all[j+1].match, stop)
	}
	return j
}

// skipAngles returns the > that closes the < at j, or j.
func (b *braceOutline) skipAngles(j, stop int) int {
	depth := 0
	for k := j; k < min(stop, j+200); k++ {
		switch {
		case b.is(k, '<'):
			depth++
		case b.is(k, '>') && !b.is(k-1, '-'):
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return j
}

// returnsStruct reports whether the word at j only names the type of a function's
// result or of a variable, as "struct s *f(void) {" does in C.
func (b *braceOutline) returnsStruct(j, stop int) bool {
	if !b.directives || b.name == "csharp" {
		return false
	}
	switch b.word(j) {
	case "struct", "union", "enum", "class":
	default:
		return false
	}
	for k := j + 1; k < stop; k++ {
		switch {
		case b.is(k, ':') && b.is(k+1, ':'):
			k++
		case b.is(k, ':') || b.is(k, '<'):
			return false
		case b.is(k, '('):
			return b.word(k-1) != "" && !slices.Contains(noCallee, b.word(k-1)) && k-1 > j+1
		}
	}
	return false
}

// typeName returns the name of the type that the word at j declares.
func (b *braceOutline) typeName(j, stop int) []string {
	k := j + 1
	if b.is(k, '<') {
		k = b.skipAngles(k, stop) + 1
	}
	if b.word(j) == "impl" {
		for n := k; n < stop; n++ {
			if b.word(n) == "for" && !b.is(n+1, '<') {
				k = n + 1
			}
			if b.word(n) == "where" {
				break
			}
		}
		for k < stop && b.word(k) == "" { // &mut, lifetimes
			k++
		}
	}
	name := b.word(k)
	for k+2 < stop && (b.is(k+1, ':') && b.is(k+2, ':') || b.is(k+1, '.') || b.is(k+1, '\\')) {
		for k++; k < stop && b.word(k) == ""; k++ {
			continue
		}
		name += "." + b.word(k)
	}
	if k+1 < stop && b.word(k+1) != "" && b.directives && !isBase(b.word(k+1)) {
		name = b.word(k + 1) // class EXPORT Name
	}
	if b.all[min(k, len(b.all)-1)].kind == lexText && name == "" {
		return nil // extern "C"
	}
	return crumbs(strings.Trim(name, "."))
}

// isBase reports whether word may follow the name of a type.
func isBase(word string) bool {
	switch word {
	case "final", "where", "extends", "implements", "sealed", "abstract":
		return true
	}
	return false
}

// functionName returns the name of the function that the word at j declares in
// the statement from i.
func (b *braceOutline) functionName(i, j, stop, assigned int) []string {
	switch b.word(j) {
	case "init", "deinit", "constructor", "subscript":
		if b.is(j+1, '(') || b.is(j+1, '{') || b.is(j+1, '?') {
			return crumbs(b.word(j))
		}
	}
	k := j + 1
	for k < stop && (b.is(k, '*') || b.is(k, '&') || b.is(k, '!')) {
		k++
	}
	if b.is(k, '<') { // fun <T> name()
		k = b.skipAngles(k, stop) + 1
	}
	name := b.word(k)
	for k+2 < stop && b.is(k+1, '.') && b.word(k+2) != "" { // fun Type.name()
		k += 2
		name = b.word(k)
	}
	if name == "" && k < stop && b.all[k].kind == lexMark && !b.is(k, '(') { // an operator
		for n := k; n < stop && b.all[n].kind == lexMark && !b.is(n, '('); n++ {
			name += b.text[b.all[n].start:b.all[n].end]
		}
	}
	if (name == "" || assigned >= 0) && assigned >= i {
		name = b.dotted(assigned)
	}
	return crumbs(name)
}

// isArrow reports whether a function's arrow follows the = after lexeme assigned.
func (b *braceOutline) isArrow(assigned int) bool {
	if b.name != "javascript" && b.name != "typescript" {
		return false
	}
	j := assigned + 2
	if b.word(j) == "async" {
		j++
	}
	switch {
	case b.is(j, '(') && b.all[j].match > 0:
		j = b.all[j].match + 1
	case b.word(j) != "":
		j++
	default:
		return false
	}
	for limit := j + 40; j < min(len(b.all)-1, limit); j++ {
		if b.is(j, '=') && b.is(j+1, '>') {
			return true
		}
		if b.is(j, ';') || b.is(j, '=') || b.all[j].kind == lexLine {
			return false
		}
	}
	return false
}

// dotted returns the name "a.b.c" that ends with lexeme j; without the words that
// declare it, and without what follows a colon.
func (b *braceOutline) dotted(j int) string {
	first := j
	for first > 1 && b.is(first-1, '.') && b.word(first-2) != "" {
		first -= 2
	}
	if b.word(j) == "" {
		return ""
	}
	name := ""
	for k := first; k <= j; k += 2 {
		if word := b.word(k); word != "exports" && word != "module" && word != "prototype" {
			name = strings.TrimPrefix(name+"."+word, ".")
		}
	}
	return name
}

// qualified returns the name "a::b" that ends with lexeme j.
func (b *braceOutline) qualified(j int) string {
	name := b.word(j)
	if b.is(j-1, '~') {
		name = "~" + name
		j--
	}
	for j > 2 && b.is(j-1, ':') && b.is(j-2, ':') && b.word(j-3) != "" {
		j -= 3
		name = b.word(j) + "::" + name
	}
	return name
}

// calls reports whether the statement from i calls the function named at callee
// rather than declares it: in languages whose declarations begin with a type or a
// word, a name alone before the parenthesis; anything after a dot.
func (b *braceOutline) calls(i, callee int) bool {
	switch b.word(callee) {
	case "if", "for", "while", "switch", "catch", "foreach", "lock", "using", "synchronized", "return":
		return true
	}
	if b.is(callee-1, '.') {
		return true
	}
	if b.name == "rust" || b.name == "kotlin" || b.name == "swift" {
		return true
	}
	return callee == i && b.name == "php"
}

// operator returns the name of the operator a statement of C++ declares, or "".
func (b *braceOutline) operator(i, stop int) string {
	for j := i; j+1 < stop; j++ {
		if b.word(j) != "operator" {
			continue
		}
		for k := j + 1; k < stop; k++ {
			if b.is(k, '(') && k > j+1 {
				return b.text[b.all[j].start:b.all[k].start]
			}
		}
	}
	return ""
}
