import { countPoints, type Range } from "@/lib/points";

/**
 * The range of code points of a document that is selected on the page, null for
 * none. Every element of the text carries where it begins in data-start.
 */
export function selectedRange(selection: Selection | null, root: HTMLElement): Range | null {
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  const start = pointOf(range.startContainer, range.startOffset, root);
  const end = pointOf(range.endContainer, range.endOffset, root);
  return start === null || end === null || end <= start ? null : { start, end };
}

function pointOf(node: Node, offset: number, root: HTMLElement): number | null {
  const element = (node instanceof HTMLElement ? node : node.parentElement)?.closest<HTMLElement>("[data-start]");
  if (!element || !root.contains(element)) return null;
  const before = document.createRange();
  before.selectNodeContents(element);
  before.setEnd(node, offset);
  return Number(element.dataset.start) + countPoints(before.toString());
}
