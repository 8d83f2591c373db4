import type { Component } from "vue";
import { createRouter, createWebHashHistory, type Router } from "vue-router";
import type { IconName } from "@/ui/icons";
import CompareScreen from "./screens/CompareScreen.vue";

/** A screen as the rail lists it; its name is a key under "ui.nav". */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly icon: IconName;
  /** The first screen is there at once, the others are fetched when first opened. */
  readonly component: Component | (() => Promise<Component>);
}

/** The screens in the order of the rail; the first is where the page opens. */
export const screens: readonly [Screen, ...Screen[]] = [
  { name: "compare", path: "/compare", icon: "columns", component: CompareScreen },
  { name: "library", path: "/library", icon: "library", component: () => import("./screens/LibraryScreen.vue") },
  { name: "ask", path: "/ask", icon: "ask", component: () => import("./screens/AskScreen.vue") },
  { name: "datasets", path: "/datasets", icon: "dataset", component: () => import("./screens/DatasetsScreen.vue") },
  { name: "evaluate", path: "/evaluate", icon: "chart", component: () => import("./screens/EvaluateScreen.vue") },
  { name: "runs", path: "/runs", icon: "history", component: () => import("./screens/RunsScreen.vue") },
  { name: "review", path: "/review", icon: "check", component: () => import("./screens/ReviewScreen.vue") },
  { name: "models", path: "/models", icon: "model", component: () => import("./screens/ModelsScreen.vue") },
  { name: "settings", path: "/settings", icon: "settings", component: () => import("./screens/SettingsScreen.vue") },
];

/** Addresses live behind "#", so that the window's file server need not know them. */
export function createScreens(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      ...screens.map(({ name, path, component }) => ({ name, path, component })),
      { path: "/", redirect: screens[0].path },
      { path: "/runs/:run", redirect: ({ params }) => ({ path: "/runs", query: { runs: String(params.run) } }) },
      { path: "/:rest(.*)*", component: () => import("./screens/UnknownScreen.vue") },
    ],
  });
}

/** Fetches the screens that were not opened yet, so that they open without the program, too. */
export function fetchScreens(): void {
  // What fails here is fetched again when it is opened.
  for (const { component } of screens) if (typeof component === "function") void (component as () => Promise<Component>)().catch(() => undefined);
}
