import type { Component } from "vue";
import { createRouter, createWebHashHistory, type Router } from "vue-router";
import type { IconName } from "@/ui/icons";
import CompareScreen from "./screens/CompareScreen.vue";

/** A screen as the rail lists it; its name is a key under "ui.nav". */
export interface Screen {
  readonly name: string;
  readonly path: string;
  readonly icon: IconName;
  readonly component: Component;
}

/** The screens in the order of the rail; the first is where the page opens. */
export const screens: readonly [Screen, ...Screen[]] = [
  { name: "compare", path: "/compare", icon: "columns", component: CompareScreen },
];

/** Addresses live behind "#", so that the window's file server need not know them. */
export function createScreens(): Router {
  return createRouter({
    history: createWebHashHistory(),
    routes: [
      ...screens.map(({ name, path, component }) => ({ name, path, component })),
      { path: "/:rest(.*)*", redirect: screens[0].path },
    ],
  });
}
