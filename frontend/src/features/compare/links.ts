import type { BoardColumn } from "./board";

/** A chunk that a column and the next one both list. */
export interface Link {
  readonly chunkId: string;
  /** The left column, and the rows there and in the next. */
  readonly column: number;
  readonly from: number;
  readonly to: number;
  /** What the card at its right says of its move; "other" where that one is compared with another column. */
  readonly kind: "up" | "down" | "same" | "other";
}

/** Finds the chunks that neighbouring columns share. */
export function links(boards: readonly BoardColumn[]): Link[] {
  return boards.slice(0, -1).flatMap((board, column) => {
    const right = boards[column + 1];
    const next = new Map(right?.cards.map((card, row) => [card.hit.chunk_id, { row, move: card.move }]));
    const compared = right?.against === board.column.strategy;
    return board.cards.flatMap((card, from): Link[] => {
      const to = next.get(card.hit.chunk_id);
      if (!to) return [];
      const kind = compared && to.move && to.move.kind !== "entered" ? to.move.kind : "other";
      return [{ chunkId: card.hit.chunk_id, column, from, to: to.row, kind }];
    });
  });
}
