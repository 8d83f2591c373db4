import { expect, it } from "vitest";
import { keyOf, stateOfKey, states } from "./states";

it("every state has a key that says it", () => {
  expect(states.map((state) => stateOfKey(keyOf(state)))).toEqual([...states]);
});

it.each(["5", "9", "a", "", "Enter"])("%j says nothing", (key) => {
  expect(stateOfKey(key)).toBeNull();
});
