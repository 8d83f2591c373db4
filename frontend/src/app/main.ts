import "./theme.css";
import "./base.css";
import { createApp, watch } from "vue";
import { apiKey, connect } from "@/api";
import { createJobs, jobsKey } from "@/features/jobs/jobs";
import { createLibraries } from "@/features/library/libraries";
import { createToasts, toastsKey } from "@/ui/toasts";
import App from "./App.vue";
import { guardClicks } from "@/lib/clicks";
import { createTexts, useLanguage } from "./i18n";
import { createPreferences } from "./preferences";
import { createScreens, fetchScreens } from "./router";
import { shellKey } from "./shell";

async function start(): Promise<void> {
  guardClicks(document);
  const preferences = createPreferences();
  const i18n = await createTexts(preferences.language.value);
  watch(preferences.language, (language) => void useLanguage(i18n, language));

  const api = connect(() => preferences.language.value);
  const libraries = createLibraries(api);
  const jobs = createJobs(api);
  // Answers change no library.
  jobs.onEnd(({ kind }) => { if (kind !== "ask" && kind !== "compare") void libraries.load(); });

  const screens = createScreens();
  // Where the code of a screen cannot be fetched, the program does not answer: the reader comes there once it does.
  screens.onError((_, to) => {
    const stop = api.connection.onBack(() => {
      stop();
      void screens.push(to.fullPath);
    });
    void api.connection.look();
  });
  api.connection.onBack(() => {
    void libraries.load();
    void jobs.resume();
  });

  createApp(App)
    .use(i18n)
    .use(screens)
    .provide(apiKey, api)
    .provide(jobsKey, jobs)
    .provide(toastsKey, createToasts())
    .provide(shellKey, { libraries, preferences })
    .mount("#app");

  await Promise.all([libraries.load(), jobs.resume()]);
  fetchScreens();
}

void start();
