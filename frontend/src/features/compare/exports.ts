import type { BoardColumn } from "./board";
import { formatMillis, formatScore } from "@/lib/format";
import { segments } from "@/lib/segments";

/** The words that an export is made with. */
export interface ExportWords {
  readonly title: string;
  readonly lang: string;
  readonly answer: string;
  readonly gone: string;
  readonly dropped: string;
  readonly entered: string;
  strategyName(strategy: string): string;
  stageName(stage: string): string;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replace(/[&<>"']/gu, (c) => escapes[c] ?? c);

/** "↑2", "↓1", "=", or the word for what entered. */
export function moveText(card: BoardColumn["cards"][number], words: Pick<ExportWords, "entered">): string {
  switch (card.move?.kind) {
    case "up": return `↑${String(card.move.by)}`;
    case "down": return `↓${String(card.move.by)}`;
    case "same": return "=";
    case "entered": return words.entered;
    case undefined: return "";
  }
}

const style = `:root{color-scheme:light}body{margin:24px;font:14px/1.6 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:#171b22;background:#f5f6f8}
h1{font-size:20px}.meta{color:#626b7a}.board{display:grid;grid-auto-flow:column;grid-auto-columns:minmax(240px,1fr);gap:16px;align-items:start;overflow-x:auto}
h2{font-size:15px;margin:0 0 8px}h2 small{color:#626b7a;font-weight:400}article{padding:10px 12px;margin-bottom:10px;border:1px solid #dfe3e9;border-radius:10px;background:#fff}
article header{display:flex;gap:8px;align-items:baseline}article header b{font-size:17px}.up{color:#0b7357}.down{color:#a8431b}.score{margin-left:auto;color:#485061}
.source{color:#626b7a;font-size:12px;overflow-wrap:anywhere}.text{white-space:pre-line;overflow-wrap:anywhere;margin:4px 0 0}mark{background:#ffe8a3}
.answer{padding:10px 12px;margin-bottom:10px;border-radius:10px;background:#e9eefc;white-space:pre-line}.list{color:#626b7a;font-size:12px;overflow-wrap:anywhere}`;

/** Writes the board as one HTML file that needs nothing else. */
export function boardHtml(query: string, kb: string, boards: readonly BoardColumn[], words: ExportWords): string {
  const card = (one: BoardColumn["cards"][number]): string =>
    `<article><header><b>${String(one.hit.rank)}</b><span class="${one.move?.kind ?? ""}">${escape(moveText(one, words))}</span><span class="score">${formatScore(one.hit.score)} ${escape(words.stageName(one.hit.score_stage))}</span></header>`
    + `<p class="source">${escape(one.hit.source)}</p><p class="text" dir="auto">${segments(one.hit.text, one.hit.matches).map((piece) => (piece.marked ? `<mark>${escape(piece.text)}</mark>` : escape(piece.text))).join("")}</p></article>`;
  const column = (board: BoardColumn): string =>
    `<section><h2>${escape(words.strategyName(board.column.strategy))} <small>${formatMillis(board.column.timings_ms.total ?? 0)}</small></h2>`
    + (board.column.answer === null ? "" : `<div class="answer" dir="auto"><b>${escape(words.answer)}</b><br>${escape(board.column.answer)}</div>`)
    + board.cards.map(card).join("")
    + (board.gone.length > 0 ? `<p class="list">${escape(words.gone)}: ${board.gone.map((gone) => `#${String(gone.rank)} ${escape(gone.source)}`).join(", ")}</p>` : "")
    + (board.column.dropped.length > 0 ? `<p class="list">${escape(words.dropped)}: ${board.column.dropped.map((chunk) => `${escape(chunk.source)}${chunk.score === null ? "" : ` ${formatScore(chunk.score)}`}`).join(", ")}</p>` : "")
    + "</section>";
  return `<!doctype html><html lang="${words.lang}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escape(query)}</title><style>${style}</style></head>`
    + `<body><h1 dir="auto">${escape(query)}</h1><p class="meta">${escape(words.title)} · ${escape(kb)}</p><div class="board">${boards.map(column).join("")}</div></body></html>\n`;
}
