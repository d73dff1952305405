/**
 * Walks a caller through a flow: `interpret(flow, run, input, now, playId) → { run, notes, way, next }`. Pure, without Node: the engine steps
 * calls with it and the builder's simulator runs it in a browser.
 *
 * Silent nodes are passed at once; the walk stops where the caller hears or enters something, is handed over, or the flow ends.
 * Every stop has a deadline (`wakeAt`): a prompt's is its length and a little more, so that a lost word of its end cannot
 * keep a caller for ever. A key stops the prompt; the time for a key counts from the prompt's end.
 */
import { exitOf } from '@clarion/protocol/ivr/structure';
import type { IvrNode, IvrStructure } from '@clarion/protocol/ivr/structure';
import type { TargetType } from '@clarion/protocol/ivr/node';
import { stay } from './behaviour.ts';
import type { Move } from './behaviour.ts';
import type { Flow, FlowRun } from './flow-run.ts';
import { askNode } from './nodes/index.ts';

export type FlowInput =
  /** The caller is there: the flow begins. */
  | { kind: 'entered' }
  | { kind: 'key'; key: string }
  /** `played` false: the sound could not be had. */
  | { kind: 'prompt-ended'; playId: string; played: boolean }
  /** `wakeAt` of the last walk has come. */
  | { kind: 'time-over' }
  /** Whom the caller was handed to did not take the call. */
  | { kind: 'overflowed' };

export type NextStep =
  /** As before; an earlier `wakeAt` stands. */
  | { kind: 'stay' }
  /** `file`: store key of the sound's 8 kHz PCM. */
  | { kind: 'play'; file: string; playId: string; wakeAt: number }
  /** Silence, and keys. */
  | { kind: 'listen'; wakeAt: number }
  | { kind: 'hand-over'; to: { type: TargetType; id: number; skills: string[] } }
  /** Nobody took the call, and the flow has no answer to that. */
  | { kind: 'not-taken'; to: { type: TargetType; id: number } }
  | { kind: 'hang-up'; because: 'HANGUP' | 'NO_INPUT' }
  /** The flow has nothing more to say: the line's own queue, or the end of the call. */
  | { kind: 'end' };

export interface Walk {
  run: FlowRun;
  /** Keys to be noted, with the name of the node they were pressed in. */
  notes: { nodeName: string; input: string }[];
  /** The exits that were left by, in order; also of nodes that were passed at once. */
  way: { nodeId: string; exit: string }[];
  next: NextStep;
}

/** How much later than its own length a prompt's end is taken for granted. */
export const PROMPT_SLACK_MS = 5_000;
const NO_SOUND = { file: '', seconds: 0 };
/** A node's name as a builder may give it, cut to what a log line bears. */
const NODE_NAME_MAX_CHARS = 191;

/** What of a flow is walked through. */
export type Walked = Pick<Flow, 'structure' | 'audio'>;

/** @param playId names the prompt that this walk may begin; new each time */
export function interpret(flow: Walked, run: FlowRun, input: FlowInput, now: number, playId: string): Walk {
  const { structure } = flow;
  const node = nodeOf(structure, run.nodeId);
  // Kept whatever comes of it: the caller did press it.
  const notes = input.kind === 'key' && node ? [{ nodeName: nameOf(node), input: input.key }] : [];
  if (!node || now >= run.endsAt)
    return { run: { ...run, playId: null }, notes, way: [], next: { kind: 'end' } };
  const move = firstMove(structure, node, run, input, now);
  // Nobody may wait for a moment that has passed: a node without an answer to it has nothing more to say.
  if (input.kind === 'time-over' && move.kind === 'stay')
    return { run, notes, way: [], next: { kind: 'end' } };
  return { notes, ...carryOut(flow, node, run, move, now, playId) };
}

export const nodeOf = (structure: IvrStructure, nodeId: string): IvrNode | undefined =>
  structure.nodes.find(({ id }) => id === nodeId);

/** A builder's label where it has one, else the id. */
export function nameOf({ id, data }: IvrNode): string {
  const { label } = data as { label?: unknown };
  const name = typeof label === 'string' ? label.trim() : '';
  return (name === '' ? id : name).slice(0, NODE_NAME_MAX_CHARS);
}

const targetOf = (structure: IvrStructure, nodeId: string, exit: string): string | null =>
  structure.edges.find((edge) => edge.source === nodeId && exitOf(edge) === exit)?.target ?? null;

/** Whether an edge leaves the node by this exit. */
export const hasExit = (structure: IvrStructure, nodeId: string, exit: string): boolean =>
  targetOf(structure, nodeId, exit) !== null;

function standing(structure: IvrStructure, run: FlowRun, now: number) {
  const has = (exit: string) => hasExit(structure, run.nodeId, exit);
  return { replays: run.replays, digits: run.digits, has, now };
}

function firstMove(
  structure: IvrStructure,
  node: IvrNode,
  run: FlowRun,
  input: FlowInput,
  now: number,
): Move {
  const at = standing(structure, run, now);
  switch (input.kind) {
    case 'entered':
      return askNode(node, at, (behaviour, here) => behaviour.enter(here));
    case 'key':
      return askNode(node, at, (behaviour, here) => behaviour.onKey(here, input.key));
    case 'prompt-ended':
      if (input.playId !== run.playId) return stay;
      return askNode(node, at, (behaviour, here) => behaviour.onPromptEnded(here, input.played));
    case 'time-over':
      return run.playId === null
        ? askNode(node, at, (behaviour, here) => behaviour.onTimeOver(here))
        : askNode(node, at, (behaviour, here) => behaviour.onPromptEnded(here, true));
    case 'overflowed':
      return askNode(node, at, (behaviour, here) => behaviour.onOverflow(here));
  }
}

function carryOut(
  { structure, audio }: Walked,
  first: IvrNode,
  before: FlowRun,
  asked: Move,
  now: number,
  playId: string,
): Omit<Walk, 'notes'> {
  let run = before;
  let node = first;
  let move = asked;
  const way: Walk['way'] = [];
  // A checked flow has no way round in silence; one that had would end here instead of turning for ever.
  for (let passed = 0; passed <= structure.nodes.length; passed += 1) {
    if (move.kind === 'play' && !audio[move.audioFileId]) {
      // A sound the run was not given is one that cannot be had.
      const replays = move.again ? run.replays + 1 : run.replays;
      run = { ...run, replays, digits: '', playId: null };
      move = askNode(node, standing(structure, run, now), (behaviour, here) =>
        behaviour.onPromptEnded(here, false),
      );
    }
    if (move.kind !== 'leave') return { way, ...stop(audio, run, node, move, now, playId) };
    way.push({ nodeId: run.nodeId, exit: move.exit });
    const nextId = targetOf(structure, run.nodeId, move.exit);
    const next = nextId === null ? undefined : nodeOf(structure, nextId);
    if (!next) return { run: { ...run, playId: null }, way, next: { kind: 'end' } };
    run = { ...run, nodeId: next.id, replays: 0, digits: '', playId: null };
    node = next;
    move = askNode(node, standing(structure, run, now), (behaviour, here) => behaviour.enter(here));
  }
  return { run, way, next: { kind: 'end' } };
}

function stop(
  audio: Flow['audio'],
  run: FlowRun,
  node: IvrNode,
  move: Exclude<Move, { kind: 'leave' }>,
  now: number,
  playId: string,
): Pick<Walk, 'run' | 'next'> {
  const silent: FlowRun = { ...run, playId: null };
  const by = (seconds: number) => Math.min(run.endsAt, now + seconds * 1000);
  switch (move.kind) {
    case 'stay':
      return { run, next: move };
    case 'play': {
      const { file, seconds } = audio[move.audioFileId] ?? NO_SOUND;
      const replays = move.again ? run.replays + 1 : run.replays;
      return {
        run: { ...run, replays, digits: '', playId },
        next: {
          kind: 'play',
          file,
          playId,
          wakeAt: Math.min(run.endsAt, now + seconds * 1000 + PROMPT_SLACK_MS),
        },
      };
    }
    case 'listen':
      return {
        run: { ...silent, digits: move.digits ?? run.digits },
        next: { kind: 'listen', wakeAt: by(move.seconds) },
      };
    case 'hand-over':
    case 'hang-up':
      return { run: silent, next: move };
    case 'not-taken':
      return node.type === 'ivr_transfer'
        ? {
            run: silent,
            next: { kind: 'not-taken', to: { type: node.data.targetType, id: node.data.targetId } },
          }
        : { run: silent, next: { kind: 'end' } };
  }
}
