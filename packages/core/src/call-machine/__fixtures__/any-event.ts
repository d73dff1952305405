/** Random events for any agent or leg in any order, and random histories of them. */
import type { LegEnd } from '@clarion/protocol/media';
import fc from 'fast-check';
import type { CallEvent } from '../event.ts';
import { AGENTS, NODE, placeInQueue, QUEUES } from './beginnings.ts';

const agentId = fc.constantFrom(...AGENTS);
/** The customer's legs of both directions, and few agent legs, so that facts often match one. */
const legId = fc.constantFrom('customer', 'call-7-customer', 'leg-a', 'leg-b', 'leg-c', 'ear-a', 'ear-b');
const agentLeg = fc.constantFrom('leg-a', 'leg-b', 'leg-c');
const deviceId = fc.constantFrom('desk', 'phone');
const playId = fc.constantFrom('announcement-1', 'announcement-2', 'announcement-3', 'goodbye-2');
/** Legs of monitors; some are agents who may also receive the call. */
export const ear = fc.constantFrom('ear-a', 'ear-b');
export const mode = fc.constantFrom('LISTEN', 'WHISPER', 'BARGE');
export const monitor = fc.record({
  kind: fc.constant('SUPERVISOR'),
  agentId: fc.constantFrom(1, 2, 9),
  name: fc.constant('Sue'),
  deviceId,
  legId: ear,
  mode,
});
export const legEnd: fc.Arbitrary<LegEnd> = fc.record({
  cause: fc.constantFrom(
    'remote-bye',
    'remote-cancel',
    'rejected',
    'no-answer-local',
    'unreachable',
    'local',
    'rtp-timeout',
    'media-error',
    'provider-error',
  ),
  sipStatus: fc.constantFrom(null, 486, 480, 404, 403, 503),
  sipReason: fc.constant(null),
  q850: fc.constantFrom(null, 17, 16),
  provisional: fc.boolean(),
  message: fc.constant('ended'),
});

export const anyEvent: fc.Arbitrary<CallEvent> = fc.oneof(
  fc.record({
    type: fc.constant('start'),
    agentId,
    deviceId,
    legId: agentLeg,
    mediaNodeId: fc.constant(NODE),
  }),
  fc.record({
    type: fc.constant('offer'),
    queueId: fc.constantFrom(...QUEUES),
    agentIds: fc.uniqueArray(agentId, { minLength: 1 }),
    wakeIds: fc.uniqueArray(agentId),
    ringTimeoutSeconds: fc.constantFrom(5, 20),
  }),
  fc.record({
    type: fc.constant('offer'),
    queueId: fc.constant(null),
    agentIds: fc.tuple(agentId),
    wakeIds: fc.uniqueArray(agentId),
    ringTimeoutSeconds: fc.constant(20),
  }),
  fc.record({ type: fc.constant('agent-unavailable'), agentId, onCall: fc.boolean() }),
  fc.record({ type: fc.constant('queue-gone'), queueId: fc.constantFrom(...QUEUES, 99) }),
  fc.record({
    type: fc.constant('looked-up'),
    result: fc.constantFrom('ANSWERED', 'TIMEOUT', 'FAILED'),
    name: fc.constantFrom(null, 'Jo'),
    externalRef: fc.constantFrom(null, 'crm-7'),
    reject: fc.boolean(),
  }),
  fc.record({ type: fc.constant('accept'), agentId, deviceId, legId: agentLeg }),
  fc.record({
    type: fc.constant('announced'),
    playId,
    position: fc.constantFrom(1, 7, 120),
    waitSeconds: fc.constantFrom(null, 30, 400),
  }),
  fc.record({ type: fc.constant('leg-played'), legId, playId, played: fc.boolean() }),
  fc.record({ type: fc.constant('resume'), agentId, deviceId, legId: agentLeg }),
  fc.record({
    type: fc.constantFrom('decline', 'hangup', 'agent-gone', 'agent-back', 'agent-removed'),
    agentId,
  }),
  fc.record({ type: fc.constant('mute'), agentId, muted: fc.boolean() }),
  fc.record({ type: fc.constant('hold'), agentId, held: fc.boolean() }),
  fc.record({ type: fc.constant('record-pause'), agentId, paused: fc.boolean() }),
  fc.record({ type: fc.constant('dtmf'), agentId, digits: fc.constant('1') }),
  fc.record({ type: fc.constantFrom('terminate', 'tick', 'credit-exhausted') }),
  fc.record({ type: fc.constant('leg-ringing'), legId, trunkId: fc.constantFrom(1, 2) }),
  fc.record({ type: fc.constant('leg-connected'), legId, codec: fc.constant('PCMA') }),
  fc.record({
    type: fc.constant('leg-connected'),
    legId,
    codec: fc.constant('PCMA'),
    agent: fc.record({ legId: agentLeg, codec: fc.constant('PCMA') }),
  }),
  fc.record({
    type: fc.constant('leg-connected'),
    legId: agentLeg,
    codec: fc.constant('PCMA'),
    answered: fc.constant(true as const),
  }),
  fc.record({ type: fc.constantFrom('leg-interrupted', 'leg-restored'), legId }),
  fc.record({ type: fc.constant('leg-ended'), legId, end: legEnd, stats: fc.constant(null) }),
  fc.record({ type: fc.constant('leg-dtmf'), legId, digit: fc.constant('5'), at: fc.nat({ max: 5 }) }),
  fc.record({
    type: fc.constant('command-failed'),
    command: fc.constantFrom('carrier:dial', 'carrier:answer', 'agent:connect', 'call:route'),
    legId,
    message: fc.constant('no'),
  }),
  fc.record({
    type: fc.constant('transfer'),
    agentId,
    to: fc.oneof(
      fc.record({ kind: fc.constant('agent'), agentId, ringTimeoutSeconds: fc.constant(30) }),
      fc.record({ kind: fc.constant('queue'), stops: fc.constant(placeInQueue().stops) }),
    ),
  }),
  fc.record({ type: fc.constant('transfer-cancel'), agentId }),
  fc.record({ type: fc.constant('monitor-start'), monitor }),
  fc.record({ type: fc.constant('monitor-mode'), legId: ear, mode }),
  fc.record({ type: fc.constant('monitor-modes'), allowed: fc.uniqueArray(mode) }),
  fc.record({ type: fc.constant('monitor-stop'), legId: ear }),
  fc.record({ type: fc.constant('media-lost'), mediaNodeId: fc.constantFrom(NODE, 'other') }),
);

/** Key 2 and the agents who ring in it are one of those above. */

/** A random event, or a seed for `usual`; and the time before it. */
const happening = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(anyEvent, fc.integer({ min: 0, max: 40_000 })) },
  { weight: 4, arbitrary: fc.tuple(fc.nat({ max: 10_000 }), fc.integer({ min: 0, max: 4_000 })) },
);
export const history = fc.record({
  from: fc.constantFrom(
    ...(['intent', 'intent', 'queue', 'queue', 'owner', 'told', 'callback'] as const),
    ...(['flow', 'flow', 'askedFlow', 'askedQueue', 'askedOwner', 'rungOwner', 'askedRungOwner'] as const),
    ...(['answeredQueue', 'overflowAnswers', 'recordedOwner'] as const),
  ),
  events: fc.array(happening, { maxLength: 40 }),
});

/** A personal line's owner has answered. */
export const conversation: [CallEvent, number][] = [
  [{ type: 'accept', agentId: 1, deviceId: 'desk', legId: 'leg-a' }, 100],
  [{ type: 'leg-connected', legId: 'leg-a', codec: 'PCMA' }, 100],
  [{ type: 'leg-connected', legId: 'customer', codec: 'PCMA' }, 100],
];

/** Two monitors, and other events meanwhile. */
const aMoment = fc.integer({ min: 0, max: 2_000 });
export const listening = fc.array(
  fc.oneof(
    {
      weight: 2,
      arbitrary: fc.tuple(fc.record({ type: fc.constant('monitor-start' as const), monitor }), aMoment),
    },
    {
      weight: 3,
      arbitrary: fc.tuple(
        fc.record({ type: fc.constant('leg-connected' as const), legId: ear, codec: fc.constant('opus') }),
        aMoment,
      ),
    },
    {
      weight: 2,
      arbitrary: fc.tuple(
        fc.record({ type: fc.constant('monitor-mode' as const), legId: ear, mode }),
        aMoment,
      ),
    },
    { weight: 2, arbitrary: happening },
  ),
  { minLength: 5, maxLength: 40 },
);
