import { createI18n } from "vue-i18n";
import type { Language } from "./preferences";

/** Each language is a file of its own, fetched when it is first wanted. */
const loaders: Record<Language, () => Promise<{ default: object }>> = {
  zh: () => import("@locales/zh.json"),
  en: () => import("@locales/en.json"),
};

function emptyTexts(language: Language) {
  return createI18n({
     
    legacy: false,
    locale: language,
    missingWarn: import.meta.env.DEV,
    fallbackWarn: false,
  });
}

/** The page's texts. */
export type Texting = ReturnType<typeof emptyTexts>;

/** Makes the texts with those of one language in place. */
export async function createTexts(language: Language): Promise<Texting> {
  const i18n = emptyTexts(language);
  await useLanguage(i18n, language);
  return i18n;
}

/** Changes the language of the page, fetching its texts if need be. */
export async function useLanguage(i18n: Texting, language: Language): Promise<void> {
  if (Object.keys(i18n.global.getLocaleMessage(language)).length === 0) {
    i18n.global.setLocaleMessage(language, (await loaders[language]()).default);
  }
  i18n.global.locale.value = language;
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}
