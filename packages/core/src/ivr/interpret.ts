/**
 * Runs a flow: `interpret(flow, run, input, now, playId) → { run, notes, way, next }`. Pure, without Node: the engine steps calls with it,
 * and the flow builder's simulator runs it in a browser.
 *
 * Nodes without audio or input are passed immediately. A run stops where the caller hears or enters something, is transferred, or the flow
 * ends. Every stop has a deadline (`wakeAt`): for a prompt, its duration plus some slack, so that a lost message about its end does not
 * leave the caller waiting for ever. A key stops the prompt; the time for a key counts from the prompt's end.
 */
import { exitOf } from '@clarion/protocol/ivr/structure';
import type { IvrNode, IvrStructure } from '@clarion/protocol/ivr/structure';
import type { TargetType } from '@clarion/protocol/ivr/node';
import { stay } from './behaviour.ts';
import type { Move } from './behaviour.ts';
import type { Flow, FlowRun } from './flow-run.ts';
import { runBehaviour } from './nodes/index.ts';

export type FlowInput =
  /** The flow begins. */
  | { kind: 'entered' }
  | { kind: 'key'; key: string }
  /** `played` false: the audio was not available. */
  | { kind: 'prompt-ended'; playId: string; played: boolean }
  /** `wakeAt` of the last result has passed. */
  | { kind: 'time-over' }
  /** The agent or queue to which the caller was transferred did not answer. */
  | { kind: 'overflowed' };

export type NextStep =
  /** Continues as before; an earlier `wakeAt` remains. */
  | { kind: 'stay' }
  /** `file`: store key of the audio asset's 8 kHz PCM. */
  | { kind: 'play'; file: string; playId: string; wakeAt: number }
  /** Listens for keys in silence. */
  | { kind: 'listen'; wakeAt: number }
  | { kind: 'hand-over'; to: { type: TargetType; id: number; skills: string[] } }
  /** No agent answered, and the flow has no exit for that. */
  | { kind: 'not-taken'; to: { type: TargetType; id: number } }
  | { kind: 'hang-up'; because: 'HANGUP' | 'NO_INPUT' }
  /** The flow has ended: the line's own queue follows, or the end of the call. */
  | { kind: 'end' };

export interface FlowResult {
  run: FlowRun;
  /** Keys to be logged, with the name of the node in which they were pressed. */
  notes: { nodeName: string; input: string }[];
  /** The exits taken, in order, including those of nodes passed immediately. */
  way: { nodeId: string; exit: string }[];
  next: NextStep;
}

/** How long after its duration a prompt is assumed to have ended. */
export const PROMPT_SLACK_MS = 5_000;
const NO_AUDIO = { file: '', seconds: 0 };
/** A node's name as given in the flow builder, shortened for a log entry. */
const NODE_NAME_MAX_CHARS = 191;

/** The parts of a flow that the interpreter needs. */
export type InterpretedFlow = Pick<Flow, 'structure' | 'audio'>;

/** @param playId ID of the prompt that this run may start; unique each time */
export function interpret(
  flow: InterpretedFlow,
  run: FlowRun,
  input: FlowInput,
  now: number,
  playId: string,
): FlowResult {
  const { structure } = flow;
  const node = nodeOf(structure, run.nodeId);
  // Logged in any case, because the caller pressed it.
  const notes = input.kind === 'key' && node ? [{ nodeName: nameOf(node), input: input.key }] : [];
  if (!node || now >= run.endsAt)
    return { run: { ...run, playId: null }, notes, way: [], next: { kind: 'end' } };
  const move = firstMove(structure, node, run, input, now);
  // A deadline must not be in the past: a node that has no reaction to its deadline ends the flow.
  if (input.kind === 'time-over' && move.kind === 'stay')
    return { run, notes, way: [], next: { kind: 'end' } };
  return { notes, ...carryOut(flow, node, run, move, now, playId) };
}

export const nodeOf = (structure: IvrStructure, nodeId: string): IvrNode | undefined =>
  structure.nodes.find(({ id }) => id === nodeId);

/** The label from the flow builder if there is one, otherwise the ID. */
export function nameOf({ id, data }: IvrNode): string {
  const { label } = data as { label?: unknown };
  const name = typeof label === 'string' ? label.trim() : '';
  return (name === '' ? id : name).slice(0, NODE_NAME_MAX_CHARS);
}

const targetOf = (structure: IvrStructure, nodeId: string, exit: string): string | null =>
  structure.edges.find((edge) => edge.source === nodeId && exitOf(edge) === exit)?.target ?? null;

/** Whether an edge leaves the node from this exit. */
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
      return runBehaviour(node, at, (behaviour, here) => behaviour.enter(here));
    case 'key':
      return runBehaviour(node, at, (behaviour, here) => behaviour.onKey(here, input.key));
    case 'prompt-ended':
      if (input.playId !== run.playId) return stay;
      return runBehaviour(node, at, (behaviour, here) => behaviour.onPromptEnded(here, input.played));
    case 'time-over':
      return run.playId === null
        ? runBehaviour(node, at, (behaviour, here) => behaviour.onTimeOver(here))
        : runBehaviour(node, at, (behaviour, here) => behaviour.onPromptEnded(here, true));
    case 'overflowed':
      return runBehaviour(node, at, (behaviour, here) => behaviour.onOverflow(here));
  }
}

function carryOut(
  { structure, audio }: InterpretedFlow,
  first: IvrNode,
  before: FlowRun,
  asked: Move,
  now: number,
  playId: string,
): Omit<FlowResult, 'notes'> {
  let run = before;
  let node = first;
  let move = asked;
  const way: FlowResult['way'] = [];
  // A checked flow has no silent loop. An unchecked one ends here instead of looping for ever.
  for (let passed = 0; passed <= structure.nodes.length; passed += 1) {
    if (move.kind === 'play' && !audio[move.audioFileId]) {
      // An asset that was not available when the call began counts as not available.
      const replays = move.again ? run.replays + 1 : run.replays;
      run = { ...run, replays, digits: '', playId: null };
      move = runBehaviour(node, standing(structure, run, now), (behaviour, here) =>
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
    move = runBehaviour(node, standing(structure, run, now), (behaviour, here) => behaviour.enter(here));
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
): Pick<FlowResult, 'run' | 'next'> {
  const silent: FlowRun = { ...run, playId: null };
  const by = (seconds: number) => Math.min(run.endsAt, now + seconds * 1000);
  switch (move.kind) {
    case 'stay':
      return { run, next: move };
    case 'play': {
      const { file, seconds } = audio[move.audioFileId] ?? NO_AUDIO;
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
