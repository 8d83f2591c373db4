package i18n

import "context"

type languageKey struct{}

// WithLanguage returns a context whose messages are in lang.
func WithLanguage(ctx context.Context, lang string) context.Context {
	return context.WithValue(ctx, languageKey{}, lang)
}

// Language returns the context's language, English without one.
func Language(ctx context.Context) string {
	if lang, ok := ctx.Value(languageKey{}).(string); ok {
		return lang
	}
	return English
}
