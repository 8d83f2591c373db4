import { ref, watch, type Ref } from "vue";
import { isOneOf, openSlot } from "@/lib/storage";

/** The languages of the page. */
export const languages = ["zh", "en"] as const;
/** One of them. */
export type Language = (typeof languages)[number];

/** How light the page is; "system" follows the machine. */
export const themes = ["system", "light", "dark"] as const;
/** One of them. */
export type Theme = (typeof themes)[number];

/** What the reader set and the browser remembers. */
export interface Preferences {
  readonly language: Ref<Language>;
  readonly theme: Ref<Theme>;
}

const slots = {
  language: openSlot<Language | null>(() => localStorage, "ragdesk.language", null, isOneOf(languages)),
  theme: openSlot<Theme>(() => localStorage, "ragdesk.theme", "system", isOneOf(themes)),
};

/** The first of a reader's languages that the page has; English without one. */
export function preferredLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const found = languages.find((language) => tag.toLowerCase().split("-")[0] === language);
    if (found) return found;
  }
  return "en";
}

/** Reads the preferences and applies the theme now and whenever it changes. */
export function createPreferences(): Preferences {
  const language = ref(slots.language.read() ?? preferredLanguage(navigator.languages));
  const theme = ref(slots.theme.read());
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paint = (): void => {
    const isDark = theme.value === "dark" || (theme.value === "system" && dark.matches);
    document.documentElement.dataset.theme = isDark ? "dark" : "light";
  };
  paint();
  dark.addEventListener("change", paint);
  watch(theme, (value) => {
    slots.theme.write(value);
    paint();
  });
  watch(language, (value) => { slots.language.write(value); });
  return { language, theme };
}
