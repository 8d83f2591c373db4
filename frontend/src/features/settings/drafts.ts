import { ref, type Ref } from "vue";
import { openSlot, type Slot } from "@/lib/storage";

/** Wordings that were edited and not saved, by the names of their templates. */
type Drafts = Readonly<Record<string, string>>;

export interface DraftBook {
  readonly all: Readonly<Ref<Drafts>>;
  /** Keeps a wording as long as it is not the saved one. */
  note(name: string, text: string, saved: string): void;
  drop(name: string): void;
}

const isDrafts = (value: unknown): value is Drafts =>
  typeof value === "object" && value !== null && Object.values(value).every((text) => typeof text === "string");

/** Drafts live as long as the page's tab. */
const inTab = openSlot<Drafts>(() => sessionStorage, "ragdesk.prompt-drafts", {}, isDrafts);

/** Opens the drafts that were left, to go on with. */
export function openDrafts(slot: Slot<Drafts> = inTab): DraftBook {
  const all = ref(slot.read());
  const put = (next: Drafts): void => {
    all.value = next;
    slot.write(next);
  };
  const drop = (name: string): void => {
    if (name in all.value) put(Object.fromEntries(Object.entries(all.value).filter(([other]) => other !== name)));
  };
  return {
    all,
    drop,
    note(name, text, saved) {
      if (text === saved) drop(name);
      else put({ ...all.value, [name]: text });
    },
  };
}
