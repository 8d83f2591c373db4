import { inject, type InjectionKey } from "vue";
import { createClient, type Client } from "./client.gen";
import { watchConnection, type Connection } from "./connection";
import { httpBackend } from "./http";
import type { EventSourcePort, Host } from "./transport";
import { wailsBackend } from "./wails";

/** The Service, its events and the machine, as every screen uses them. */
export interface Api extends Client {
  readonly events: EventSourcePort;
  readonly host: Host;
  readonly connection: Connection;
}

/** Connects to the window the page is in or, in a browser, to its server. */
export function connect(language: () => string): Api {
  const backend = wailsBackend() ?? httpBackend(language);
  const { transport, host, connection } = watchConnection(backend.transport, backend.host);
  return { ...createClient(transport), events: backend.events, host, connection };
}

/** Where the shell leaves the Api for the screens. */
export const apiKey: InjectionKey<Api> = Symbol("api");

/** The Api, inside a component's setup. */
export function useApi(): Api {
  const api = inject(apiKey);
  if (!api) throw new Error("no Api was provided");
  return api;
}
