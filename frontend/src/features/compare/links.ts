import type { BoardColumn } from "./board";

/** A chunk that a column and the next one both list. */
export interface Link {
  readonly chunkId: string;
  /** The left column, and the rows there and in the next. */
  readonly column: number;
  readonly from: number;
  readonly to: number;
  readonly kind: "up" | "down" | "same";
}

/** Finds the chunks that neighbouring columns share. */
export function links(boards: readonly BoardColumn[]): Link[] {
  return boards.slice(0, -1).flatMap((board, column) => {
    const next = new Map(boards[column + 1]?.cards.map((card, row) => [card.hit.chunk_id, row]));
    return board.cards.flatMap((card, from): Link[] => {
      const to = next.get(card.hit.chunk_id);
      return to === undefined ? [] : [{ chunkId: card.hit.chunk_id, column, from, to, kind: to < from ? "up" : to > from ? "down" : "same" }];
    });
  });
}
