import { expect, test } from 'vitest';
import { timelineOf, type CallDetail, type Lookup } from './timeline.ts';

const names: Lookup = {
  agentById: (id) => (id === 7 ? 'Ada' : id === 8 ? 'Ben' : null),
  queueById: () => null,
  queueByRef: (ref) => (ref === 'sales' ? 'Sales' : ref),
  flowById: () => 'Welcome',
  lineByRef: () => 'Main number',
};
const at = (second: number) => `2026-01-05T09:00:${String(second).padStart(2, '0')}.000Z`;
const event = (type: string, second: number, more: Partial<CallDetail['events'][number]> = {}) => ({
  type,
  agentId: null,
  occurredAt: at(second),
  durationSeconds: null,
  metadata: null,
  ...more,
});
const call: CallDetail['call'] = {
  callId: 1,
  tenantRef: 't',
  status: 'TERMINATED',
  direction: 'INBOUND',
  channelId: 1,
  channelRef: 'main',
  channelType: 'SIP',
  queueId: 1,
  queueRef: 'sales',
  agentId: 8,
  agentRef: 'ben',
  customer: { address: '+442079460123', addressType: 'E164', addressWithheld: false, name: 'Grace' },
  externalRef: null,
  consumerMetadata: null,
  terminationReason: 'COMPLETED',
  terminatedBy: 'CUSTOMER',
  failureDetails: null,
  mediaPath: 'DIRECT',
  durations: { ring: 0, wait: 0, call: 0, total: 0 },
  createdAt: at(0),
  ringingAt: null,
  queuedAt: null,
  answeredAt: at(20),
  endedAt: at(50),
};
const detail = (
  events: CallDetail['events'],
  inputs: { input: string; pressedAt: string }[] = [],
): CallDetail => ({
  call,
  participants: [],
  legs: [],
  events,
  transfers: [],
  ivrSessions: [
    {
      id: 1,
      ivrFlowId: 1,
      completed: true,
      outcome: 'QUEUE',
      durationSeconds: 3,
      startedAt: at(0),
      endedAt: at(8),
      inputs: inputs.map((input) => ({ nodeName: 'menu', ...input })),
    },
  ],
  recording: null,
});

test('the timeline lists log entries and pressed keys in order', () => {
  const events = [
    event('CREATED', 0),
    event('IVR_STARTED', 0, { metadata: { ivrFlowId: 1 } }),
    event('IVR_ENDED', 8, { metadata: { outcome: 'QUEUE' } }),
    event('QUEUED', 8, { metadata: { queueRef: 'sales' } }),
    event('OFFERED', 9, { agentId: 7 }),
    event('ANSWERED', 20, { agentId: 7 }),
    event('TRANSFER_STARTED', 30, { agentId: 7, metadata: { toAgentId: 8 } }),
    event('TRANSFERRED', 35, { agentId: 8 }),
    event('ENDED', 50),
  ];
  expect(
    timelineOf(detail(events, [{ input: '1', pressedAt: at(8) }]), names).map(({ title }) => title),
  ).toEqual([
    'Grace called Main number',
    'The IVR flow “Welcome” answered',
    'Pressed 1',
    'Left the IVR flow',
    'Waiting in Sales',
    'Ringing Ada',
    'Ada and the customer are connected',
    'Ada started a transfer to Ben',
    'Ben accepted the transfer',
    'Call ended',
  ]);
});

test('a log entry of an unknown type is shown by its name', () => {
  expect(timelineOf(detail([event('SENT_TO_THE_MOON', 1)]), names)).toEqual([
    { at: at(1), title: 'Sent to the moon', icon: 'begin' },
  ]);
});

test('the lookup is described by what it returned', () => {
  const lookup = (second: number, metadata: Record<string, unknown>) =>
    event('LOOKED_UP', second, { metadata: { name: null, action: null, ...metadata } });
  const shown = timelineOf(
    detail([
      lookup(1, { result: 'ANSWERED', name: 'Grace' }),
      lookup(2, { result: 'ANSWERED', action: 'reject' }),
      lookup(3, { result: 'TIMEOUT' }),
      lookup(4, { result: 'FAILED' }),
    ]),
    names,
  );
  expect(shown.map(({ detail: text }) => text)).toEqual([
    'Your lookup URL returned the name Grace.',
    'Your lookup URL rejected the call.',
    'Your lookup URL did not respond in time. The call continued without it.',
    'Your lookup URL could not be reached or returned an invalid response. The call continued without it.',
  ]);
});

test('a push notification is shown with its device and, if it failed, with what to do', () => {
  const push = (second: number, metadata: Record<string, unknown>) =>
    event('PUSHED', second, { agentId: 7, metadata: { deviceId: 'd', kind: 'INCOMING', ...metadata } });
  const android = { platform: 'ANDROID', provider: 'FCM' };
  const iphone = { platform: 'IOS', provider: 'APNS_VOIP' };
  const shown = timelineOf(
    detail([
      push(1, { ...android, result: 'SENT', httpStatus: 200 }),
      push(2, { ...iphone, result: 'REJECTED', httpStatus: 410, reason: 'Unregistered' }),
      push(3, { ...iphone, result: 'EXPIRED' }),
      push(4, { ...android, result: 'UNKNOWN' }),
      push(5, { ...android, kind: 'WITHDRAWN', result: 'SENT' }),
      push(6, { platform: 'IOS', provider: 'FCM', kind: 'MISSED', result: 'SENT' }),
      event('PUSHED', 7, { metadata: { ...android, kind: 'INCOMING', result: 'SENT' } }),
    ]),
    names,
  );
  expect(shown.map(({ title, detail: text }) => [title, text])).toEqual([
    ['Pushed to Ada’s Android phone', undefined],
    [
      'Ada’s iPhone could not be woken',
      'The app was removed from the device, or its token has expired. It can ring again once the app registers a new token.',
    ],
    ['Ada’s iPhone could not be woken', 'It could not be sent in time.'],
    [
      'Ada’s Android phone could not be woken',
      'The service was interrupted while it was sent, so it may have arrived.',
    ],
    ['Ada’s iPhone shows the missed call', undefined],
    ['Pushed to an agent’s Android phone', undefined],
  ]);
});
