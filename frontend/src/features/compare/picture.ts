import { formatScore, splitPath } from "@/lib/format";
import type { BoardColumn } from "./board";
import { moveText, type ExportWords } from "./exports";
import { links } from "./links";

const columnWidth = 340;
const gap = 36;
const margin = 32;
const cardHeight = 132;
const cardGap = 14;
const top = 108;
/** Dots a unit, so that the picture is sharp on a large screen. */
const density = 2;

/** Draws the board as a picture: the cards, their movement, and the lines between them. */
export async function boardPicture(query: string, kb: string, boards: readonly BoardColumn[], words: ExportWords, colour: (token: string) => string): Promise<Blob> {
  const rows = Math.max(1, ...boards.map((board) => board.cards.length));
  const canvas = document.createElement("canvas");
  const width = 2 * margin + boards.length * columnWidth + (boards.length - 1) * gap;
  canvas.width = width * density;
  canvas.height = (top + rows * (cardHeight + cardGap) + margin) * density;
  const g = canvas.getContext("2d");
  if (!g) throw new Error("no canvas");
  g.scale(density, density);
  g.textBaseline = "top";
  g.fillStyle = colour("bg");
  g.fillRect(0, 0, canvas.width, canvas.height);
  const font = (size: number, weight = 400): void => { g.font = `${String(weight)} ${String(size)}px ${colour("sans")}`; };
  const write = (text: string, x: number, y: number, token: string): void => {
    g.fillStyle = colour(token);
    g.fillText(text, x, y);
  };
  font(22, 650);
  write(fitted(g, query, width - 2 * margin), margin, 24, "text");
  font(13);
  write(`${words.title} · ${kb}`, margin, 54, "text-3");
  const left = (column: number): number => margin + column * (columnWidth + gap);
  const up = (row: number): number => top + row * (cardHeight + cardGap);

  for (const link of links(boards)) {
    g.beginPath();
    const [x1, y1, x2, y2] = [left(link.column) + columnWidth, up(link.from) + 20, left(link.column + 1), up(link.to) + 20];
    g.moveTo(x1, y1);
    g.bezierCurveTo((x1 + x2) / 2, y1, (x1 + x2) / 2, y2, x2, y2);
    g.lineWidth = 2;
    g.strokeStyle = colour(link.kind === "up" || link.kind === "down" ? link.kind : "line-strong");
    g.stroke();
  }
  boards.forEach((board, column) => {
    font(15, 600);
    write(words.strategyName(board.column.strategy), left(column), 80, "text");
    board.cards.forEach((card, row) => {
      const [x, y] = [left(column), up(row)];
      g.beginPath();
      g.roundRect(x, y, columnWidth, cardHeight, 10);
      g.fillStyle = colour("surface");
      g.fill();
      g.lineWidth = 1;
      g.strokeStyle = colour("line");
      g.stroke();
      font(18, 650);
      write(String(card.hit.rank), x + 12, y + 10, "text");
      font(13, 600);
      write(moveText(card, words), x + 38, y + 13, card.move?.kind === "up" ? "up" : card.move?.kind === "down" ? "down" : "text-3");
      const score = `${formatScore(card.hit.score)} ${words.stageName(card.hit.score_stage)}`;
      font(12);
      write(score, x + columnWidth - 12 - g.measureText(score).width, y + 13, "text-2");
      write(fitted(g, splitPath(card.hit.source).name, columnWidth - 24), x + 12, y + 36, "text-3");
      font(13);
      wrapped(g, card.hit.text.replace(/\s+/gu, " "), columnWidth - 24, 3).forEach((line, i) => { write(line, x + 12, y + 58 + i * 21, "text"); });
    });
  });
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => { if (blob) resolve(blob); else reject(new Error("the picture is too large")); }, "image/png");
  });
}

/** Cuts text to a width, with an ellipsis when something was cut. */
function fitted(g: CanvasRenderingContext2D, text: string, width: number): string {
  if (g.measureText(text).width <= width) return text;
  const points = Array.from(text);
  while (points.length > 1 && g.measureText(`${points.join("")}…`).width > width) points.pop();
  return `${points.join("")}…`;
}

/** Breaks text into lines of a width, at most so many; words are not broken where blanks allow. */
function wrapped(g: CanvasRenderingContext2D, text: string, width: number, most: number): string[] {
  const parts = text.match(/[\p{L}\p{N}\p{P}]*[\u0020]|[\u2e80-\uffff]|[^\u2e80-\uffff\s]+|./gu) ?? [];
  const lines: string[] = [];
  let line = "";
  for (const [i, part] of parts.entries()) {
    if (line !== "" && g.measureText(line + part).width > width) {
      if (lines.length === most - 1) return [...lines, fitted(g, line + parts.slice(i, i + 60).join(""), width)];
      lines.push(line);
      line = "";
    }
    line += part;
  }
  return line === "" ? lines : [...lines, fitted(g, line, width)];
}
