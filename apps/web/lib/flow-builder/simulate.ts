/**
 * Simulates a caller in a flow with the engine's own interpreter, and with the clock and keys of the user. Pure; `now` is the
 * simulated time in milliseconds since the epoch.
 */
import { newFlowRun } from '@clarion/core/ivr/flow-run';
import type { FlowRun } from '@clarion/core/ivr/flow-run';
import { interpret, nameOf, nodeOf } from '@clarion/core/ivr/interpret';
import type { FlowInput, NextStep, InterpretedFlow } from '@clarion/core/ivr/interpret';
import { ivrStructure } from '@clarion/protocol/ivr/structure';
import { structureOf } from './draft.ts';
import type { Draft } from './draft.ts';

export type Happened =
  | { kind: 'came'; nodeId: string; name: string }
  | { kind: 'key'; nodeId: string; name: string; key: string }
  | { kind: 'waited'; nodeId: string; name: string }
  | { kind: 'not-taken'; nodeId: string; name: string }
  | { kind: 'over'; step: Ending };

/** How the flow ends, or where it transfers the caller. */
export type Ending = Extract<NextStep, { kind: 'hand-over' | 'not-taken' | 'hang-up' | 'end' }>;
/** Audio is playing, a key is awaited, or the flow is over. */
export type Standing = Exclude<NextStep, { kind: 'stay' }>;

export interface Simulation {
  flow: InterpretedFlow;
  run: FlowRun;
  standing: Standing;
  /** When the flow continues without input; null: it does not. */
  wakeAt: number | null;
  /** The audio asset that is playing. */
  playing: { assetId: number; playId: string } | null;
  log: readonly (Happened & { at: number })[];
  /** The nodes and exits on the caller's path, as `node exit`. */
  nodes: ReadonlySet<string>;
  exits: ReadonlySet<string>;
  plays: number;
}

/** @param seconds the duration of each audio asset by ID @returns null if the draft is not a valid flow yet */
export function simulate(draft: Draft, seconds: ReadonlyMap<number, number>, now: number): Simulation | null {
  const read = ivrStructure.safeParse(structureOf(draft));
  if (!read.success || !read.data.nodes.some(({ type }) => type === 'ivr_start')) return null;
  const audio = Object.fromEntries(
    [...seconds].map(([id, length]) => [String(id), { file: String(id), seconds: length }]),
  );
  const flow: InterpretedFlow = { structure: read.data, audio };
  const run = newFlowRun({ ivrFlowId: 0, structure: read.data }, now);
  const before: Simulation = {
    flow,
    run,
    standing: { kind: 'end' },
    wakeAt: null,
    playing: null,
    log: [],
    nodes: new Set([run.nodeId]),
    exits: new Set(),
    plays: 0,
  };
  return advance(before, { kind: 'entered' }, now);
}

export const isOver = ({ standing: { kind } }: Pick<Simulation, 'standing'>): boolean =>
  kind === 'end' || kind === 'hang-up' || kind === 'not-taken';

/** Applies one input. Does nothing once the flow is over. */
export function advance(before: Simulation, input: FlowInput, now: number): Simulation {
  if (isOver(before) && before.log.length > 0) return before;
  const { flow } = before;
  const playId = `play-${before.plays + 1}`;
  const { run, way, next } = interpret(flow, before.run, input, now, playId);
  const at = { at: now };
  const nodes = new Set(before.nodes);
  const exits = new Set(before.exits);
  const log = [...before.log, ...logOfInput(before, input).map((one) => ({ ...one, ...at }))];
  for (const { nodeId, exit } of way) {
    exits.add(`${nodeId} ${exit}`);
    const target = flow.structure.edges.find(
      (edge) => edge.source === nodeId && (edge.sourceHandle ?? 'next') === exit,
    )?.target;
    if (target === undefined) continue;
    nodes.add(target);
    log.push({ kind: 'came', nodeId: target, name: nameIn(flow, target), ...at });
  }
  if (next.kind === 'stay') return { ...before, run, log, nodes, exits };
  const playing = next.kind === 'play' ? { assetId: Number(next.file), playId: next.playId } : null;
  if (next.kind !== 'play' && next.kind !== 'listen') log.push({ kind: 'over', step: next, ...at });
  return {
    flow,
    run,
    standing: next,
    wakeAt: 'wakeAt' in next ? next.wakeAt : null,
    playing,
    log,
    nodes,
    exits,
    plays: playing ? before.plays + 1 : before.plays,
  };
}

function logOfInput({ flow, run, log }: Simulation, input: FlowInput): Happened[] {
  const where = { nodeId: run.nodeId, name: nameIn(flow, run.nodeId) };
  switch (input.kind) {
    case 'entered':
      return log.length === 0 ? [{ kind: 'came', ...where }] : [];
    case 'key':
      return [{ kind: 'key', ...where, key: input.key }];
    case 'time-over':
      return [{ kind: 'waited', ...where }];
    case 'overflowed':
      return [{ kind: 'not-taken', ...where }];
    case 'prompt-ended':
      return [];
  }
}

function nameIn({ structure }: InterpretedFlow, nodeId: string): string {
  const node = nodeOf(structure, nodeId);
  return node ? nameOf(node) : nodeId;
}
