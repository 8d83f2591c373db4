import type { Column, CompareResponse, Hit } from "@/api/types.gen";
import { baselineOf, moveOf, type Baseline, type Move } from "@/lib/movement";

/** A hit as a card; move is null in the column the others are compared with. */
export interface Card {
  readonly hit: Hit;
  readonly move: Move | null;
}

/** A chunk of the compared column that this column does not list. */
export interface Gone {
  readonly chunkId: string;
  readonly source: string;
  /** Its heading and first words. */
  readonly about: string;
  /** Its rank there. */
  readonly rank: number;
}

/** One strategy's column. */
export interface BoardColumn {
  readonly column: Column;
  /** The strategy it is compared with, null in the first. */
  readonly against: string | null;
  readonly cards: readonly Card[];
  readonly gone: readonly Gone[];
}

/** Arranges an answer as columns. Ranks are the program's; only their difference is taken here. */
export function arrange(response: CompareResponse, baseline: Baseline): BoardColumn[] {
  const ranks = new Map(response.movement.map((m) => [m.chunk_id, m.ranks]));
  const rankIn = (chunkId: string, strategy: string): number | null => ranks.get(chunkId)?.[strategy] ?? null;
  return response.strategies.map((column, i) => {
    const at = baselineOf(i, baseline);
    const against = at === null ? null : (response.strategies[at]?.strategy ?? null);
    if (against === null) {
      return { column, against, cards: column.hits.map((hit) => ({ hit, move: null })), gone: [] };
    }
    const hits = new Map(response.strategies.find((one) => one.strategy === against)?.hits.map((hit) => [hit.chunk_id, hit]));
    return {
      column,
      against,
      cards: column.hits.map((hit) => ({ hit, move: moveOf(hit.rank, rankIn(hit.chunk_id, against)) })),
      gone: response.movement
        .flatMap(({ chunk_id, source }) => {
          const rank = rankIn(chunk_id, against);
          return rank === null || rankIn(chunk_id, column.strategy) !== null ? [] : [{ chunkId: chunk_id, source, about: aboutOf(hits.get(chunk_id)), rank }];
        })
        .sort((a, b) => a.rank - b.rank),
    };
  });
}

/** The heading of a hit and its first words, on one line. */
function aboutOf(hit: Hit | undefined): string {
  if (!hit) return "";
  const heading = hit.headings.at(-1) ?? "";
  const text = hit.text.replace(/^#+\s+/u, "").trim();
  const words = Array.from((heading !== "" && text.startsWith(heading) ? text.slice(heading.length) : text).replace(/\s+/gu, " ").trim()).slice(0, 120).join("");
  return [heading, words].filter((part) => part !== "").join(" · ");
}

/** Reports whether every strategy shows all chunks that the library has, so that there is nothing to choose between. */
export function showsAll(response: CompareResponse, chunks: number): boolean {
  return chunks > 0 && response.strategies.length > 0 && response.strategies.every((column) => column.hits.length >= chunks);
}

/** Where a card stands on the board. */
export interface Place {
  readonly column: number;
  readonly row: number;
}

/**
 * The card that an arrow key leads to, given the number of cards in each column;
 * null where it leads nowhere. Empty columns are passed over.
 */
export function neighbour(place: Place, key: string, sizes: readonly number[]): Place | null {
  const { column, row } = place;
  switch (key) {
    case "ArrowUp":
      return row > 0 ? { column, row: row - 1 } : null;
    case "ArrowDown":
      return row + 1 < (sizes[column] ?? 0) ? { column, row: row + 1 } : null;
    case "ArrowLeft":
    case "ArrowRight": {
      const step = key === "ArrowLeft" ? -1 : 1;
      for (let c = column + step; c >= 0 && c < sizes.length; c += step) {
        const size = sizes[c] ?? 0;
        if (size > 0) return { column: c, row: Math.min(row, size - 1) };
      }
      return null;
    }
    default:
      return null;
  }
}

/** How answers are shown: as text, or sentence by sentence with what changed. */
export type AnswerView = "text" | "sentences";

/** An answer that is not whole. */
export interface Draft {
  readonly state: "waiting" | "writing" | "stopped";
  readonly text: string;
}

/** How far a comparison's answers are. */
export interface Writing {
  readonly running: boolean;
  /** What the model has written in the first column without an answer. */
  readonly text: string;
}

/** What there is of a column's answer while it is not whole; null when it is, or none was asked for. */
export function draftOf(columns: readonly Column[], index: number, writing: Writing | null): Draft | null {
  if (!writing || columns[index]?.answer !== null) return null;
  const text = columns.findIndex((column) => column.answer === null) === index ? writing.text : "";
  if (!writing.running) return { state: "stopped", text };
  return text === "" ? { state: "waiting", text } : { state: "writing", text };
}
