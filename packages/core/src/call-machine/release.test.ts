/**
 * How a call releases its agents: whose idle time continues, whose idle time restarts, and whose offer counts as missed for auto-offline.
 * In a queue that rings the longest idle agent first, only an agent's own actions may restart their idle time.
 */
import type { LegEnd } from '@clarion/protocol/media';
import { expect, test } from 'vitest';
import { begin, placeInQueue } from './__fixtures__/beginnings.ts';
import { isRelease } from './effects.ts';
import type { Effect, ReleaseReason } from './effects.ts';
import type { CallEvent } from './event.ts';
import { nextDeadline, step } from './machine.ts';
import { AGENT_CONNECT_MS, OFFER_GONE_MS } from './timing.ts';

const T0 = 1_700_000_000_000;
const [ADA, BOB] = [1, 2];
const CUSTOMER = 'customer';
const codec = 'PCMA';

const byBye: LegEnd = {
  cause: 'remote-bye',
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'BYE',
};
const gaveUp: CallEvent = { type: 'leg-ended', legId: CUSTOMER, end: byBye, stats: null };
const noAudio = (legId: string): CallEvent => ({ type: 'leg-ended', legId, end: byBye, stats: null });
const offer = (ringTimeoutSeconds: number, ...agentIds: number[]): CallEvent => ({
  type: 'offer',
  queueId: 10,
  agentIds,
  ringTimeoutSeconds,
});
const accept = (agentId: number): CallEvent => ({
  type: 'accept',
  agentId,
  deviceId: 'desk',
  legId: `leg-${agentId}`,
  mediaNodeId: 'media-1',
});
const stands = (legId: string): CallEvent => ({ type: 'leg-connected', legId, codec });
const decline = (agentId: number): CallEvent => ({ type: 'decline', agentId });
const answered = [offer(20, ADA), accept(ADA), stands('leg-1'), stands(CUSTOMER)];
const toBob: CallEvent = {
  type: 'transfer',
  agentId: ADA,
  to: { kind: 'agent', agentId: BOB, ringTimeoutSeconds: 30 },
};
const toQueue: CallEvent = {
  type: 'transfer',
  agentId: ADA,
  to: { kind: 'queue', stops: placeInQueue().stops },
};
/** Time passes, and every deadline on the way fires. */
const wait = (ms: number) => ({ wait: ms });
type What = CallEvent | { wait: number };
type Row = [string, keyof typeof begin, What[], Record<string, ReleaseReason>];

const rows: Row[] = [
  ['a colleague answers first', 'queue', [offer(20, ADA, BOB), accept(BOB)], { [ADA]: 'free' }],
  ['the caller hangs up while it rings', 'queue', [offer(20, ADA), gaveUp], { [ADA]: 'free' }],
  [
    'the caller hangs up while audio is being connected',
    'queue',
    [offer(20, ADA), accept(ADA), gaveUp],
    { [ADA]: 'free' },
  ],
  [
    'their apps are disconnected',
    'queue',
    [offer(20, ADA), { type: 'agent-gone', agentId: ADA }, wait(OFFER_GONE_MS)],
    { [ADA]: 'free' },
  ],
  [
    'max_wait_seconds of the queue ends',
    'queue',
    [wait(50_000), offer(20, ADA), wait(10_000)],
    { [ADA]: 'free' },
  ],
  [
    'an outbound call fails',
    'intent',
    [
      { type: 'start', agentId: ADA, deviceId: 'desk', legId: 'leg-1', mediaNodeId: 'media-1' },
      stands('leg-1'),
      { type: 'hangup', agentId: ADA },
    ],
    { [ADA]: 'free' },
  ],
  ['a conversation is over', 'queue', [...answered, gaveUp], { [ADA]: 'talked' }],
  [
    'a conversation is transferred',
    'queue',
    [...answered, toBob, accept(BOB), stands('leg-2')],
    { [ADA]: 'talked' },
  ],
  [
    'a conversation ends while a colleague rings',
    'queue',
    [...answered, toBob, gaveUp],
    { [ADA]: 'talked', [BOB]: 'free' },
  ],
  ['they decline', 'queue', [offer(20, ADA), decline(ADA)], { [ADA]: 'declined' }],
  [
    'they accept and then decline',
    'queue',
    [offer(20, ADA), accept(ADA), decline(ADA), noAudio('leg-1')],
    { [ADA]: 'declined' },
  ],
  ['they decline a call to their personal line', 'owner', [decline(ADA)], { [ADA]: 'declined' }],
  ['they decline a transfer', 'queue', [...answered, toBob, decline(BOB)], { [BOB]: 'declined' }],
  ['they decline a callback', 'callback', [offer(20, ADA), decline(ADA)], { [ADA]: 'declined' }],
  ['the offer expires', 'queue', [offer(20, ADA), wait(20_000)], { [ADA]: 'missed' }],
  ['it rings the owner of a line until the timeout', 'owner', [wait(30_000)], { [ADA]: 'missed' }],
  ['a transfer expires', 'queue', [...answered, toBob, wait(30_000)], { [BOB]: 'missed' }],
  [
    'the offer expires together with max_wait_seconds of the queue',
    'queue',
    [wait(40_000), offer(20, ADA), wait(20_000)],
    { [ADA]: 'missed' },
  ],
  [
    'the offer expires together with max_wait_seconds of the queue of a transfer',
    'queue',
    [...answered, toQueue, wait(40_000), offer(20, BOB), wait(20_000)],
    { [BOB]: 'missed' },
  ],
  ['their audio fails', 'queue', [offer(20, ADA), accept(ADA), noAudio('leg-1')], { [ADA]: 'failed' }],
  [
    'their audio is not connected in time',
    'queue',
    [offer(20, ADA), accept(ADA), wait(AGENT_CONNECT_MS)],
    { [ADA]: 'failed' },
  ],
  ['the audio of an owner fails', 'owner', [accept(ADA), noAudio('leg-1')], { [ADA]: 'failed' }],
  [
    'the audio of a transfer fails',
    'queue',
    [...answered, toBob, accept(BOB), noAudio('leg-2')],
    { [BOB]: 'failed' },
  ],
  [
    'the audio of an agent for a callback fails',
    'callback',
    [offer(20, ADA), accept(ADA), noAudio('leg-1')],
    { [ADA]: 'failed' },
  ],
];

/** The effects of the whole history. */
function play(from: keyof typeof begin, events: What[]): Effect[] {
  let { state, effects } = begin[from]();
  const all = [...effects];
  let now = T0;
  const happens = (event: CallEvent): void => {
    ({ state, effects } = step(state, event, now));
    all.push(...effects);
  };
  for (const what of events) {
    if (!('wait' in what)) {
      happens(what);
      continue;
    }
    const until = now + what.wait;
    for (let next = nextDeadline(state); next !== null && next <= until; next = nextDeadline(state)) {
      now = Math.max(now, next);
      happens({ type: 'tick' });
    }
    now = until;
  }
  return all;
}

/** How each released agent was released. */
const releasedIn = (effects: Effect[]): Record<string, ReleaseReason> =>
  Object.fromEntries(
    effects.flatMap((effect) =>
      effect.kind === 'agent' && isRelease(effect.change) ? [[effect.agentId, effect.change]] : [],
    ),
  );

/** Each withdrawal, and whether the app is told about the agent afterwards, who may be OFFLINE now. */
const withdrawnIn = (effects: Effect[]): string[] =>
  effects.flatMap((effect, i) => {
    if (effect.kind !== 'notify-agent' || effect.what.message !== 'withdrawn') return [];
    const { agentId, what } = effect;
    const isTold = effects
      .slice(i)
      .some((one) => one.kind === 'notify-agent' && one.agentId === agentId && one.what.message === 'agent');
    return [`${agentId} ${what.reason}${isTold ? ' and told' : ''}`];
  });

test.each(rows)('%s', (_, from, events, released) => {
  expect(releasedIn(play(from, events))).toEqual(released);
});

test.each(rows.filter(([, , , released]) => Object.values(released).includes('missed')))(
  '%s: their apps are told that it is over, and about the agent',
  (_, from, events, released) => {
    const [agentId] = Object.keys(released);
    expect(withdrawnIn(play(from, events))).toContain(`${agentId} TIMEOUT and told`);
  },
);

test.each([
  ['of a queue', 'queue', [offer(20, ADA), decline(ADA)]],
  ['to their personal line', 'owner', [decline(ADA)]],
] as const)('who declines a call %s sees on every device that it was declined', (_, from, events) => {
  expect(withdrawnIn(play(from, [...events]))).toEqual([`${ADA} DECLINED`]);
});

test('an offer that expires together with max_wait_seconds of the queue of a transfer is logged as missed', () => {
  let { state } = begin.queue();
  for (const event of [...answered, toQueue]) ({ state } = step(state, event, T0));
  ({ state } = step(state, offer(20, BOB), T0 + 40_000));
  const { effects } = step(state, { type: 'tick' }, T0 + 60_000);
  expect(effects).toContainEqual({ kind: 'record', type: 'MISSED', agentId: BOB });
});
