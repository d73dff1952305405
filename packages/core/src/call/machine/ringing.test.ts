/** What an agent hears while the customer they called is rung. */
import { describe, expect, test } from 'vitest';
import { beginIntent } from '../arrival.ts';
import type { CallEvent } from '../event.ts';
import type { CallState } from '../state.ts';
import { step } from '../machine.ts';

const T0 = 1_700_000_000_000;
const ADA = 1;
const CUSTOMER = 'call-7-customer';
const ringback = { leg: [{ kind: 'tone', tone: 'ringback' }] };

/** The last route, and the commands to media, once the agent's audio is up and these events have arrived. */
function dialling(...events: CallEvent[]) {
  const dial = { trunkId: 1, called: '44', caller: '33', callerName: null };
  const intent = { callId: 7, record: false, mediaPath: 'ROOM', agentId: ADA, dial } as const;
  let state: CallState = beginIntent(intent, T0).state;
  const began: CallEvent[] = [
    { type: 'start', agentId: ADA, deviceId: 'desk', legId: 'leg', mediaNodeId: 'media-1' },
    { type: 'leg-connected', legId: 'leg', codec: 'PCMA' },
  ];
  const commands = [...began, ...events].flatMap((event, index) => {
    const next = step(state, event, T0 + index * 1000);
    state = next.state;
    return next.effects.flatMap((effect) => (effect.kind === 'media' ? [effect.order] : []));
  });
  const routes = commands.flatMap((order) => (order.command === 'call:route' ? [order.route] : []));
  return { route: routes.at(-1), commands };
}
const rings = (earlyMedia: boolean): CallEvent => ({ type: 'leg-ringing', legId: CUSTOMER, earlyMedia });

describe('an agent who calls a customer hears our ring-back', () => {
  test.each([
    ['a 180', [rings(false)]],
    ['a 183 with SDP: media plays the carrier’s audio once there is any', [rings(true)]],
    ['a 183 with SDP after a 180', [rings(false), rings(true)]],
    ['a 180 after a 183 with SDP', [rings(true), rings(false)]],
  ])('after %s', (_what, events) => {
    expect(dialling(...events).route).toEqual(ringback);
  });

  test('and nothing before the phone rings', () => {
    expect(dialling().route).toEqual({ leg: [] });
  });
});

test('digits are sent into early media, also when its SDP follows a plain 180', () => {
  const keys: CallEvent = { type: 'dtmf', agentId: ADA, digits: '12' };
  const sent = (...events: CallEvent[]) =>
    dialling(...events, keys).commands.filter(({ command }) => command === 'leg:dtmf');
  expect(sent(rings(false), rings(true))).toMatchObject([{ legId: CUSTOMER, digits: '12' }]);
  expect(sent(rings(false))).toEqual([]);
});
