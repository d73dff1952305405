/** What a line's settings make of a call that comes in, in sentences. The order is the service's own (core, call-engine/line-route.ts). */
import type { Flow, Queue } from '../../../../../../lib/dashboard/edit/resources.ts';

export interface LineFacts {
  disabled: boolean;
  /** Whom a personal line belongs to. */
  owner: { name: string; doNotDisturb: boolean } | null;
  ringSeconds: number;
  queue: Pick<Queue, 'name' | 'strategy' | 'maxWaitSeconds' | 'members'> | null;
  /** Where the queue overflows to. */
  overflow: { name: string } | null;
  /** Of this line; those that are not ACTIVE are left out here. */
  flows: readonly Pick<Flow, 'ref' | 'name' | 'status' | 'triggerCondition'>[];
}

export interface Step {
  kind: 'flow' | 'queue' | 'owner' | 'ends';
  /** The condition; null: always. */
  when: string | null;
  what: string;
  /** What comes of it if nobody answers, or why nobody can. */
  after: string | null;
  /** Something is wrong with it. */
  warning: boolean;
}

const triggers = [
  ['ALL_AGENTS_OFFLINE', 'Nobody of the queue is available'],
  ['ALL_AGENTS_BUSY', 'Everybody of the queue is on a call'],
  ['ALWAYS', null],
] as const;

export function whatHappens(line: LineFacts): Step[] {
  if (line.disabled) return [ends('The call is refused: the line is disabled.')];
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
    : ends('The call is refused: the line is for calling out.');
  return [...steps, steps.length === 0 ? rest : { ...rest, when: 'Otherwise' }];
}

const ends = (what: string): Step => ({ kind: 'ends', when: null, what, after: null, warning: false });

function ofOwner({ name, doNotDisturb }: NonNullable<LineFacts['owner']>, seconds: number): Step {
  const step = { kind: 'owner', when: null } as const;
  if (doNotDisturb) {
    return { ...step, what: `Nothing rings: ${name} asked not to be disturbed.`, after: null, warning: true };
  }
  return {
    ...step,
    what: `It rings ${name} on all of their devices, whether they are on shift or not.`,
    after: `After ${seconds} seconds it ends unanswered.`,
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
  const wait = maxWaitSeconds === null ? null : inWords(maxWaitSeconds);
  const end = overflow ? `goes on to the queue ${overflow.name}` : 'ends';
  return {
    kind: 'queue',
    when: null,
    what: empty
      ? `It waits in the queue ${name}, which has no members: nobody is rung.`
      : `It waits in the queue ${name}, which ${rings[strategy]}.`,
    after: wait === null ? 'It waits until somebody answers or hangs up.' : `After ${wait} it ${end}.`,
    warning: empty,
  };
}

function inWords(seconds: number): string {
  const minutes = seconds / 60;
  if (!Number.isInteger(minutes)) return `${seconds} seconds`;
  return minutes === 1 ? 'a minute' : `${minutes} minutes`;
}

/** How the service will keep a number: `0044 20 7183` → `+44207183`; null while it is none. */
export function asE164(typed: string): string | null {
  const digits = /^(?:\+|00)?(\d{4,15})$/.exec(typed.replaceAll(/[\s().-]/g, ''));
  return digits ? `+${digits[1]}` : null;
}
