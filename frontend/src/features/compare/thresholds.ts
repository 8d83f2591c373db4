import type { Column } from "@/api/types.gen";
import { isStage, stagesIn, type StageName } from "@/lib/stages";

/** A threshold in force. */
export interface InForce {
  readonly stage: StageName;
  readonly value: number;
  /** How many it dropped. */
  readonly dropped: number;
}

/** What the line of a column's scores shows. */
export interface Strip {
  /** The stage whose scores stand on the line: the column's last, or the last one that anything reached. */
  readonly stage: StageName;
  /** It is not the column's last stage. */
  readonly early: boolean;
  readonly kept: readonly number[];
  readonly lost: readonly number[];
  /** The threshold of that stage; null without. */
  readonly value: number | null;
  /** Thresholds of the column's other stages. */
  readonly others: readonly InForce[];
}

/** Finds what a column's line shows; null where no stage scored anything. set is what the page sets of a stage. */
export function stripOf(column: Column, set: (stage: StageName) => number | null): Strip | null {
  const scores = (stage: StageName): Pick<Strip, "kept" | "lost"> => ({
    kept: column.hits.filter((hit) => hit.score_stage === stage).map((hit) => hit.score),
    lost: column.dropped.flatMap((chunk) => (chunk.stage === stage && chunk.score !== null ? [chunk.score] : [])),
  });
  const inForce = (stage: StageName): number | null => set(stage) ?? ownOf(column, stage);
  const first = column.hits[0]?.score_stage ?? "";
  const stages = stagesIn([...Object.entries(column.timings_ms).flatMap(([name, ms]) => (ms === null ? [] : [name])), ...column.dropped.map((chunk) => chunk.stage), first]);
  const last = isStage(first) ? first : stages.at(-1);
  const stage = [...stages].reverse().find((one) => scores(one).kept.length + scores(one).lost.length > 0);
  if (stage === undefined) return null;
  const others = stages.flatMap((one): InForce[] => {
    const value = one === stage ? null : inForce(one);
    return value === null ? [] : [{ stage: one, value, dropped: scores(one).lost.filter((score) => score < value).length }];
  });
  return { stage, early: stage !== last, ...scores(stage), value: inForce(stage), others };
}

/** What a run's pipeline itself asks of a stage, as far as it dropped anything. */
function ownOf(column: Column, stage: StageName): number | null {
  return column.run === null ? null : (column.dropped.find((chunk) => chunk.stage === stage && chunk.threshold !== null)?.threshold ?? null);
}

/** A threshold as it is set and shown. */
export function roundThreshold(value: number): number {
  return Number(value.toPrecision(4));
}
