/** A piece of an answer: words, or a marker that cites the hit of that rank. */
export type AnswerPart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "marker"; readonly marker: number; readonly text: string };

/** Both bracket widths, since Chinese answers are typed with either. */
const markerPattern = /[[【［](\d{1,3})[\]】］]/gu;

/** Splits an answer at its markers "[n]". Joined, the parts are the answer. */
export function answerParts(answer: string): AnswerPart[] {
  const parts: AnswerPart[] = [];
  let at = 0;
  for (const match of answer.matchAll(markerPattern)) {
    if (match.index > at) parts.push({ kind: "text", text: answer.slice(at, match.index) });
    parts.push({ kind: "marker", marker: Number(match[1]), text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < answer.length) parts.push({ kind: "text", text: answer.slice(at) });
  return parts;
}
