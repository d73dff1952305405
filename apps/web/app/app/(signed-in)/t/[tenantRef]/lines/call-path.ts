/** What a line's settings make of a call that comes in, in sentences. The order is the service's own (core, call-engine/line-route.ts). */
import type { Flow, Queue } from '#lib/dashboard/edit/resources.ts';

export interface LineFacts {
  disabled: boolean;
  /** The owner of a personal line. */
  owner: { name: string; doNotDisturb: boolean } | null;
  ringSeconds: number;
  queue: Pick<Queue, 'name' | 'strategy' | 'maxWaitSeconds' | 'members'> | null;
  /** Where the queue overflows to. */
  overflow: { name: string } | null;
  /** The flows of this line. Only ACTIVE ones are considered. */
  flows: readonly Pick<Flow, 'ref' | 'name' | 'status' | 'triggerCondition'>[];
}

export interface Step {
  kind: 'flow' | 'queue' | 'owner' | 'ends';
  /** The condition; null: always. */
  when: string | null;
  what: string;
  /** What happens without an answer. */
  after: string | null;
  /** The step cannot work as it is set. */
  warning: boolean;
}

const triggers = [
  ['ALL_AGENTS_OFFLINE', 'If no agent of the queue is on shift'],
  ['ALL_AGENTS_BUSY', 'If all agents of the queue are on a call'],
  ['ALWAYS', null],
] as const;

export function callPath(line: LineFacts): Step[] {
  if (line.disabled) return [ends('Calls are rejected because the line is disabled.')];
  if (line.owner) return [ofOwner(line.owner, line.ringSeconds)];
  const steps: Step[] = [];
  for (const [trigger, when] of triggers) {
    const flow = line.flows.find((one) => one.status === 'ACTIVE' && one.triggerCondition === trigger);
    if (!flow || (when !== null && !line.queue)) continue;
    steps.push({ kind: 'flow', when, what: `The flow ${flow.name} answers.`, after: null, warning: false });
    if (when === null) return steps;
  }
  const rest = line.queue
    ? ofQueue(line.queue, line.overflow)
    : ends('Calls are rejected because the line is for outbound calls only.');
  return [...steps, steps.length === 0 ? rest : { ...rest, when: 'Otherwise' }];
}

/** Where calls go, for a list: what answers them, and the flow that answers instead if no agent is available. */
export function destinationOf({ owner, queue, flows }: Pick<LineFacts, 'owner' | 'queue' | 'flows'>): {
  name: string;
  exception: string | null;
} {
  if (owner) return { name: owner.name, exception: null };
  const active = flows.filter(({ status }) => status === 'ACTIVE');
  const always = active.find(({ triggerCondition }) => triggerCondition === 'ALWAYS');
  const atTimes = queue === null ? [] : active.filter((flow) => flow !== always);
  return {
    name: always ? `Flow ${always.name}` : queue ? `Queue ${queue.name}` : 'Outbound calls only',
    exception:
      atTimes.length === 0
        ? null
        : `Flow ${atTimes.map(({ name }) => name).join(', ')} when no agent is available`,
  };
}

const ends = (what: string): Step => ({ kind: 'ends', when: null, what, after: null, warning: false });

function ofOwner({ name, doNotDisturb }: NonNullable<LineFacts['owner']>, seconds: number): Step {
  const step = { kind: 'owner', when: null } as const;
  if (doNotDisturb) {
    return {
      ...step,
      what: `Nothing rings because ${name} has turned on do not disturb.`,
      after: null,
      warning: true,
    };
  }
  return {
    ...step,
    what: `The call rings ${name} on all devices, on shift or not.`,
    after: `After ${seconds} seconds, it ends unanswered.`,
    warning: false,
  };
}

const rings: Record<Queue['strategy'], string> = {
  ROUND_ROBIN: 'rings its members one after another',
  RING_ALL: 'rings all of its members at once',
  PRIORITY: 'rings its members by priority',
};

function ofQueue(
  { name, strategy, maxWaitSeconds, members }: NonNullable<LineFacts['queue']>,
  overflow: LineFacts['overflow'],
): Step {
  const empty = members.length === 0;
  const wait = maxWaitSeconds === null ? null : durationText(maxWaitSeconds);
  const end = overflow ? `overflows to the queue ${overflow.name}` : 'ends';
  return {
    kind: 'queue',
    when: null,
    what: empty
      ? `The caller waits in the queue ${name}, which has no members, so no agent is rung.`
      : `The caller waits in the queue ${name}, which ${rings[strategy]}.`,
    after:
      wait === null
        ? 'The caller waits until an agent answers or the caller hangs up.'
        : `After ${wait}, the call ${end}.`,
    warning: empty,
  };
}

function durationText(seconds: number): string {
  const minutes = seconds / 60;
  if (!Number.isInteger(minutes)) return `${seconds} seconds`;
  return minutes === 1 ? '1 minute' : `${minutes} minutes`;
}

/** The number as the service stores it: `0044 20 7183` → `+44207183`; null if it is not a number. */
export function asE164(typed: string): string | null {
  const digits = /^(?:\+|00)?(\d{4,15})$/.exec(typed.replaceAll(/[\s().-]/g, ''));
  return digits ? `+${digits[1]}` : null;
}
