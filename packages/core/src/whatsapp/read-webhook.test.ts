import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storedWhatsAppCall } from '@clarion/protocol/v1/tenant/whatsapp';
import { MAX_EVENTS_PER_WEBHOOK, readWhatsAppWebhook } from './read-webhook.ts';

const metadata = { display_phone_number: '13175551399', phone_number_id: '436666719526789' };
const webhook = (value: unknown, field: unknown = 'calls') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '102290129340398', changes: [{ field, value }] }],
});
const calls = (...given: unknown[]) => webhook({ messaging_product: 'whatsapp', metadata, calls: given });
const statuses = (...given: unknown[]) =>
  webhook({ messaging_product: 'whatsapp', metadata, statuses: given });
const only = (given: unknown) => {
  const events = readWhatsAppWebhook(given);
  expect(events).toHaveLength(1);
  const [event] = events;
  if (!event) throw new Error('no event');
  return event;
};

const inbound = {
  id: 'wacid.A',
  from: '12185552828',
  to: '13175551399',
  from_user_id: 'US.1349',
  event: 'connect',
  timestamp: '1671644824',
  direction: 'USER_INITIATED',
  session: { sdp_type: 'offer', sdp: 'v=0\r\no=- 1 2 IN IP4 127.0.0.1\r\n' },
  cta_payload: 'from-a-button',
};
const terminated = {
  id: 'wacid.A',
  from: '12185552828',
  to: '13175551399',
  event: 'terminate',
  direction: 'USER_INITIATED',
  timestamp: '1749197480',
  status: 'Completed',
  start_time: '1749197360',
  end_time: '1749197480',
  duration: 120,
};

describe('what the platform sends of calls', () => {
  test('a person calls the business', () => {
    const contacts = [
      { profile: { name: 'Else' }, wa_id: '15550000000' },
      { profile: { name: 'Ana', username: 'ana.p' }, wa_id: '12185552828', user_id: 'US.1349' },
    ];
    const event = only(webhook({ messaging_product: 'whatsapp', metadata, contacts, calls: [inbound] }));
    expect(event).toMatchObject({
      phoneNumberId: '436666719526789',
      customerAddress: '+12185552828',
      occurredAt: new Date('2022-12-21T17:47:04Z'),
      call: {
        id: 'wacid.A',
        event: 'connect',
        direction: 'USER_INITIATED',
        from: '12185552828',
        to: '13175551399',
        userId: 'US.1349',
        name: 'Ana',
        sdp: { type: 'offer', text: inbound.session.sdp },
        ctaPayload: 'from-a-button',
      },
    });
  });

  test('the business calls a person: the answer, how it fares, the end', () => {
    const answer = only(
      calls({
        id: 'wacid.B',
        from: '13175551399',
        to: '12185552828',
        to_user_id: 'US.1349',
        event: 'connect',
        direction: 'BUSINESS_INITIATED',
        timestamp: 1749196895,
        session: { sdp_type: 'answer', sdp: 'v=0\r\n' },
        connection: { webrtc: { sdp: '{"legacy":true}' } },
        biz_opaque_callback_data: 'our-call-981',
      }),
    );
    expect(answer).toMatchObject({
      customerAddress: '+12185552828',
      call: { direction: 'BUSINESS_INITIATED', userId: 'US.1349', opaqueData: 'our-call-981' },
    });
    expect(answer.call).not.toHaveProperty('connection');
    const ringing = only(
      statuses({
        id: 'wacid.B',
        type: 'call',
        status: 'RINGING',
        timestamp: '1749197000',
        recipient_id: '12185552828',
        recipient_user_id: 'US.1349',
        biz_opaque_callback_data: 'our-call-981',
      }),
    );
    expect(ringing).toMatchObject({
      customerAddress: '+12185552828',
      call: { id: 'wacid.B', event: 'status', status: 'RINGING', opaqueData: 'our-call-981' },
    });
    const end = only(
      webhook({
        metadata,
        calls: [{ ...terminated, direction: 'BUSINESS_INITIATED', status: 'FAILED', start_time: undefined }],
        errors: [
          { code: 138021, message: 'No media', href: 'https://…', error_data: { details: 'for 20 s' } },
          'odd',
        ],
      }),
    );
    expect(end.call).toMatchObject({
      event: 'terminate',
      status: 'FAILED',
      startTime: null,
      errors: [{ code: 138021, message: 'No media', details: 'for 20 s' }],
    });
  });

  test('an end is read in any case', () => {
    expect(only(calls(terminated)).call).toMatchObject({
      status: 'COMPLETED',
      startTime: 1749197360,
      endTime: 1749197480,
      durationSeconds: 120,
    });
  });

  test('a direction that is missing follows from who offers, else from the numbers', () => {
    const { direction: _, ...connect } = inbound;
    const directionOf = (call: object) => only(calls(call)).call.direction;
    expect(directionOf(connect)).toBe('USER_INITIATED');
    expect(directionOf({ ...connect, session: { sdp_type: 'answer', sdp: 'v=0' } })).toBe(
      'BUSINESS_INITIATED',
    );
    const { direction: __, ...end } = terminated;
    expect(directionOf(end)).toBe('USER_INITIATED');
    expect(directionOf({ ...end, from: end.to, to: end.from })).toBe('BUSINESS_INITIATED');
    expect(directionOf({ ...end, from: '1', to: '2' })).toBeNull();
  });

  test('a person who hides the number is known by the user id', () => {
    const { from: _, ...hidden } = inbound;
    expect(only(calls(hidden)).customerAddress).toBe('US.1349');
    expect(only(calls({ ...hidden, from_user_id: undefined })).customerAddress).toBeNull();
    const status = { id: 'b', type: 'call', status: 'RINGING', recipient_user_id: 'US.7' };
    expect(only(statuses(status)).customerAddress).toBe('US.7');
  });

  test('one webhook tells of several calls of several numbers', () => {
    const other = { ...metadata, phone_number_id: 99 };
    const events = readWhatsAppWebhook({
      entry: [
        { changes: [{ field: 'calls', value: { metadata, calls: [inbound, terminated] } }] },
        {
          changes: [
            { field: 'messages', value: { metadata, messages: [{ text: { body: 'hello' } }] } },
            { field: 'calls', value: { metadata: other, calls: [inbound] } },
          ],
        },
      ],
    });
    expect(events.map(({ phoneNumberId, call }) => [phoneNumberId, call.event])).toEqual([
      ['436666719526789', 'connect'],
      ['436666719526789', 'terminate'],
      ['99', 'connect'],
    ]);
  });
});

describe('repeats', () => {
  test('are known whatever the order of fields, what was added, and the name on the profile', () => {
    const first = only(
      webhook({ metadata, calls: [inbound], contacts: [{ wa_id: inbound.from, profile: { name: 'Ana' } }] }),
    );
    const reordered = Object.fromEntries(Object.entries({ ...inbound, added_later: 1 }).toReversed());
    expect(only(calls(reordered)).digest).toEqual(first.digest);
    for (const other of [
      { ...inbound, id: 'wacid.C' },
      { ...inbound, event: 'terminate' },
      { ...inbound, timestamp: '1671644825' },
      { ...inbound, session: { sdp_type: 'offer', sdp: 'v=1' } },
    ]) {
      expect(only(calls(other)).digest).not.toEqual(first.digest);
    }
  });
});

describe('what is no call event of a known kind is left out', () => {
  test.each([
    ['nothing', {}],
    ['no object', 'calls'],
    ['null', null],
    ['a message', webhook({ metadata, messages: [{ type: 'text', text: { body: 'hello' } }] }, 'messages')],
    ['a message’s status', statuses({ id: 'wamid.x', status: 'delivered', timestamp: '1' })],
    ['a call in a change of another field', webhook({ metadata, calls: [inbound] }, 'messages')],
    ['a call of no number', webhook({ calls: [inbound] })],
    ['a call without an id', calls({ ...inbound, id: undefined })],
    ['a call whose id is an object', calls({ ...inbound, id: { $ne: '' } })],
    ['a call whose id is too long', calls({ ...inbound, id: 'x'.repeat(513) })],
    ['a later kind of event', calls({ ...inbound, event: 'call_recording_available' })],
    ['entries that are no list', { entry: { changes: [] } }],
    ['changes that are no list', { entry: [{ changes: 'calls' }] }],
    ['calls that are no list', webhook({ metadata, calls: inbound })],
  ])('%s', (_, given) => {
    expect(readWhatsAppWebhook(given)).toEqual([]);
  });

  test('an odd entry does not spoil the others, nor an odd field its event', () => {
    expect(readWhatsAppWebhook(calls(null, 7, [], inbound))).toHaveLength(1);
    const odd = only(
      calls({
        ...inbound,
        from: ['12185552828'],
        timestamp: 'soon',
        direction: 'SIDEWAYS',
        session: { sdp_type: 'offer', sdp: 'x'.repeat(65_537) },
        duration: -1,
        start_time: '99999999999999999999',
      }),
    );
    expect(odd).toMatchObject({ occurredAt: null, customerAddress: 'US.1349' });
    expect(odd.call).toMatchObject({ from: null, sdp: null, durationSeconds: null, startTime: null });
  });

  test('NUL and half surrogates are taken out: the database holds neither', () => {
    const { call } = only(
      calls({
        ...inbound,
        id: 'wa\0cid',
        cta_payload: '\0a\ud800b',
        session: { sdp_type: 'offer', sdp: 'v=0\0\r\n' },
      }),
    );
    expect(call).toMatchObject({ id: 'wacid', ctaPayload: 'a\ufffdb', sdp: { text: 'v=0\r\n' } });
    expect(readWhatsAppWebhook(calls({ ...inbound, id: '\0' }))).toEqual([]);
  });

  test('more events than the platform batches', () => {
    const many = Array.from({ length: MAX_EVENTS_PER_WEBHOOK + 1 }, (_, index) => ({
      ...inbound,
      id: `w${index}`,
    }));
    expect(readWhatsAppWebhook(calls(...many))).toHaveLength(MAX_EVENTS_PER_WEBHOOK);
  });
});

test('millions of entries that are nothing are not looked at for long', () => {
  const junk = Array.from({ length: 1_000_000 }, () => ({ field: 'calls' }));
  const startedAt = performance.now();
  expect(readWhatsAppWebhook({ entry: [{ changes: junk }] })).toEqual([]);
  expect(readWhatsAppWebhook({ entry: junk })).toEqual([]);
  expect(
    readWhatsAppWebhook(webhook({ metadata, calls: junk, contacts: junk, statuses: junk, errors: junk })),
  ).toEqual([]);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});

test('whatever comes, the reader does not fail, and what it gives can be stored', () => {
  const value = fc.anything({ withBigInt: false, withDate: false, maxDepth: 3 });
  const field = fc.oneof(
    value,
    fc.constantFrom('connect', 'terminate', 'offer', 'wacid.A', '1671644824', 'call'),
  );
  const keys = [
    ...Object.keys(inbound),
    ...Object.keys(terminated),
    'type',
    'recipient_id',
    'sdp_type',
    'sdp',
  ];
  const entry = fc.oneof(
    value,
    fc.dictionary(fc.constantFrom(...keys), field).map((more) => ({ ...inbound, ...more })),
    fc
      .dictionary(fc.constantFrom(...keys), field)
      .map((more) => ({ id: 'b', type: 'call', status: 'RINGING', ...more })),
  );
  const given = fc.record({
    metadata: fc.oneof(fc.constant(metadata), value),
    contacts: fc.oneof(fc.array(value), value),
    calls: fc.oneof(fc.array(entry), value),
    statuses: fc.oneof(fc.array(entry), value),
    errors: fc.oneof(fc.array(value), value),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        given.map((content) => webhook(content)),
        value,
      ),
      (sent) => {
        for (const event of readWhatsAppWebhook(sent)) {
          const stored = JSON.stringify(event.call);
          expect(stored).not.toMatch(/\\u0000|\\ud[89a-f]/i);
          expect(storedWhatsAppCall.parse(JSON.parse(stored))).toEqual(event.call);
          expect(event.occurredAt === null || Number.isFinite(event.occurredAt.getTime())).toBe(true);
          expect(event.digest).toHaveLength(32);
        }
      },
    ),
    { numRuns: 500 },
  );
});
