/** The form values of a queue: all fields of the PUT, because an omitted field is reset to its default. */
import type { Queue } from '#lib/dashboard/edit/resources.ts';
import type { Input } from '#lib/dashboard/request.ts';

export interface MemberDraft {
  agentRef: string;
  priority: number;
  /** As typed, separated by commas. */
  skills: string;
}

export interface QueueDraft {
  name: string;
  strategy: Queue['strategy'];
  ringSeconds: number | null;
  /** Null: no limit. */
  maxWaitSeconds: number | null;
  /** Empty: none. */
  overflowRef: string;
  /** As text, for a select; empty: none. */
  holdAudioId: string;
  maxActiveCalls: number | null;
  wrapUpSeconds: number | null;
  announcePosition: boolean;
  announceWait: boolean;
  announceEverySeconds: number | null;
  /** Empty: not offered. */
  callbackKey: string;
  skillsWaitSeconds: number | null;
  answerWhileWaiting: boolean;
  members: MemberDraft[];
}

export type QueueBody = Input<'PUT', '/v1/tenants/{tenantRef}/queues/{queueRef}'>['body'];

export function draftOf(queue: Queue, queues: readonly Queue[]): QueueDraft {
  return {
    name: queue.name,
    strategy: queue.strategy,
    ringSeconds: queue.ringTimeoutSeconds,
    maxWaitSeconds: queue.maxWaitSeconds,
    overflowRef: queues.find(({ id }) => id === queue.overflowQueueId)?.ref ?? '',
    holdAudioId: queue.holdAudioAssetId === null ? '' : String(queue.holdAudioAssetId),
    maxActiveCalls: queue.maxActiveCalls,
    wrapUpSeconds: queue.wrapUpSeconds,
    announcePosition: queue.announcePosition,
    announceWait: queue.announceWait,
    announceEverySeconds: queue.announceEverySeconds,
    callbackKey: queue.callbackKey ?? '',
    skillsWaitSeconds: queue.skillsWaitSeconds,
    answerWhileWaiting: queue.answerWhileWaiting,
    members: queue.members.map(({ agentRef, priority, skills }) => ({
      agentRef,
      priority,
      skills: skills.join(', '),
    })),
  };
}

export const bodyOf = (draft: QueueDraft): QueueBody => ({
  name: draft.name,
  strategy: draft.strategy,
  ring_timeout_seconds: draft.ringSeconds,
  max_wait_seconds: draft.maxWaitSeconds,
  overflow_queue_ref: draft.overflowRef || null,
  hold_audio_asset_id: draft.holdAudioId === '' ? null : Number(draft.holdAudioId),
  max_active_calls: draft.maxActiveCalls,
  wrap_up_seconds: draft.wrapUpSeconds,
  announce_position: draft.announcePosition,
  announce_wait: draft.announceWait,
  announce_every_seconds: draft.announceEverySeconds,
  callback_key: draft.callbackKey || null,
  skills_wait_seconds: draft.skillsWaitSeconds,
  answer_while_waiting: draft.answerWhileWaiting,
  members: draft.members.map(({ agentRef, priority, skills }) => ({
    agent_ref: agentRef,
    priority,
    skills: skillsOf(skills),
  })),
});

export const skillsOf = (typed: string): string[] =>
  typed
    .split(',')
    .map((skill) => skill.trim())
    .filter((skill) => skill !== '');

/** Moves a member one place. Priorities are renumbered from 1. */
export function moved(members: readonly MemberDraft[], from: number, to: number): MemberDraft[] {
  const member = members[from];
  if (member === undefined || to < 0 || to >= members.length) return [...members];
  const others = members.filter((_, index) => index !== from);
  return [...others.slice(0, to), member, ...others.slice(to)].map((one, index) => ({
    ...one,
    priority: index + 1,
  }));
}

export interface Pasted {
  add: string[];
  /** Already a member. */
  there: string[];
  unknown: string[];
}

/** Refs pasted from a spreadsheet or chat, separated by commas, semicolons, spaces or line breaks. */
export function readPasted(text: string, known: readonly string[], members: readonly string[]): Pasted {
  const refs = [...new Set(text.split(/[\s,;]+/).filter((ref) => ref !== ''))];
  return {
    add: refs.filter((ref) => known.includes(ref) && !members.includes(ref)),
    there: refs.filter((ref) => members.includes(ref)),
    unknown: refs.filter((ref) => !known.includes(ref) && !members.includes(ref)),
  };
}
