/** What an agent hears while the customer's phone rings. */
import { describe, expect, test } from 'vitest';
import { beginIntent } from './arrival.ts';
import type { CallEvent } from './event.ts';
import type { CallState } from './state.ts';
import { step } from './machine.ts';

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
const rings: CallEvent = { type: 'leg-ringing', legId: CUSTOMER };

describe('an agent who calls a customer hears our ringback', () => {
  test('once the phone rings; media decides whether to play the carrier’s audio instead', () => {
    expect(dialling(rings).route).toEqual(ringback);
    expect(dialling(rings, rings).route).toEqual(ringback);
  });

  test('and nothing before the phone rings', () => {
    expect(dialling().route).toEqual({ leg: [] });
  });
});

describe('keys that the agent presses', () => {
  const sent = (agentId: number, ...events: CallEvent[]) =>
    dialling(...events, { type: 'dtmf', agentId, digits: '12' }).commands.filter(
      ({ command }) => command === 'leg:dtmf',
    );

  test('once the customer is dialled, are sent to media, which stores them until the called side accepts DTMF', () => {
    expect(sent(ADA)).toMatchObject([{ legId: CUSTOMER, digits: '12' }]);
    expect(sent(ADA, rings)).toMatchObject([{ legId: CUSTOMER, digits: '12' }]);
    expect(sent(ADA, rings, rings)).toMatchObject([{ legId: CUSTOMER, digits: '12' }]);
  });

  test('are not accepted from another agent', () => {
    expect(sent(ADA + 1, rings)).toEqual([]);
  });
});
