import { describe, expect, it } from "vitest";
import type { Sending } from "@/api/transport";
import type { DroppedFile } from "./dropped";
import { createOutbox } from "./sending";

const file = (path: string, text: string): DroppedFile => ({ path, file: new File([text], path) });

/** What stands in for the server: a folder that keeps files as it does. */
function shelf(there: Record<string, string>) {
  const sent: string[] = [];
  const upload = async (name: string, bytes: Blob, { signal, taken }: Sending): Promise<{ path: string; free: string }> => {
    signal.throwIfAborted();
    const text = await bytes.text();
    sent.push(`${name} ${taken}`);
    if (taken === "replace") {
      there[name] = text;
      return { path: name, free: "" };
    }
    let at = name;
    for (let n = 2; at in there && there[at] !== text; n++) at = name.replace(/(\.[^.]*)$/u, ` (${String(n)})$1`);
    if (at !== name && there[at] === undefined && taken === "ask") return { path: "", free: at.split("/").at(-1) ?? "" };
    there[at] = text;
    return { path: at, free: "" };
  };
  return { there, sent, box: createOutbox(upload) };
}

describe("the outbox", () => {
  it("asks before it takes a name that another text has, and keeps both", async () => {
    const { there, sent, box } = shelf({ "kb/a.md": "old" });
    const files = [file("a.md", "new"), file("b.md", "b")];
    expect(await box.send("kb", files)).toBeNull();
    expect(box.clashes.value).toEqual([{ path: "a.md", free: "a (2).md", replace: false }]);
    expect(there).toEqual({ "kb/a.md": "old", "kb/b.md": "b" });
    expect(await box.send("kb", files)).toEqual(["kb/a (2).md", "kb/b.md"]);
    expect(there).toEqual({ "kb/a.md": "old", "kb/a (2).md": "new", "kb/b.md": "b" });
    expect(sent).toEqual(["kb/a.md ask", "kb/b.md ask", "kb/a.md beside"]);
    expect(box.clashes.value).toEqual([]);
  });

  it("replaces what it is told to replace", async () => {
    const { there, box } = shelf({ "kb/a.md": "old" });
    const files = [file("a.md", "new")];
    await box.send("kb", files);
    box.clashes.value = box.clashes.value.map((one) => ({ ...one, replace: true }));
    expect(await box.send("kb", files)).toEqual(["kb/a.md"]);
    expect(there).toEqual({ "kb/a.md": "new" });
  });

  it("keeps all files of one name, and one of those that are the same", async () => {
    const { there, box } = shelf({});
    expect(await box.send("kb", [file("n.md", "one"), file("n.md", "two"), file("n.md", "one")])).toEqual(["kb/n.md", "kb/n (2).md"]);
    expect(there).toEqual({ "kb/n.md": "one", "kb/n (2).md": "two" });
  });

  it("takes an answer for the folder alone that it was given for", async () => {
    const { there, box } = shelf({ "one/a.md": "old", "two/a.md": "older" });
    const files = [file("a.md", "new")];
    await box.send("one", files);
    box.clashes.value = box.clashes.value.map((one) => ({ ...one, replace: true }));
    expect(await box.send("two", files)).toBeNull();
    expect(there).toEqual({ "one/a.md": "old", "two/a.md": "older" });
  });

  it("forgets what was asked", async () => {
    const { box } = shelf({ "kb/a.md": "old" });
    await box.send("kb", [file("a.md", "new")]);
    box.clear();
    expect([box.clashes.value, box.busy.value]).toEqual([[], false]);
  });
});
