import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readPermissionReplies } from './read-permission-replies.ts';

const metadata = { phone_number_id: '436666719526789', display_phone_number: '13175551399' };
const webhook = (...messages: unknown[]) => ({
  entry: [{ id: '1', changes: [{ field: 'messages', value: { metadata, messages } }] }],
});
const reply = {
  from: '12185552828',
  from_user_id: 'US.1349',
  id: 'wamid.x',
  timestamp: '1753000000',
  type: 'interactive',
  context: { from: '13175551399', id: 'wamid.request' },
  interactive: {
    type: 'call_permission_reply',
    call_permission_reply: {
      response: 'accept',
      is_permanent: false,
      expiration_timestamp: 1_753_186_982,
      response_source: 'user_action',
    },
  },
};
const withReply = (more: object) => ({
  ...reply,
  interactive: {
    ...reply.interactive,
    call_permission_reply: { ...reply.interactive.call_permission_reply, ...more },
  },
});

describe('replies to permission requests', () => {
  test('a temporary permission', () => {
    expect(readPermissionReplies(webhook(reply))).toEqual([
      {
        phoneNumberId: '436666719526789',
        customerAddress: '+12185552828',
        userId: 'US.1349',
        accepted: true,
        permanent: false,
        expiresAt: new Date(1_753_186_982_000),
        automatic: false,
        occurredAt: new Date(1_753_000_000_000),
      },
    ]);
  });
  test('a permanent one, a refusal, and one that WhatsApp granted', () => {
    const read = readPermissionReplies(
      webhook(
        withReply({ is_permanent: true }),
        withReply({ response: 'REJECT', is_permanent: true }),
        withReply({ response_source: 'automatic' }),
      ),
    );
    expect(
      read.map(({ accepted, permanent, expiresAt, automatic }) => [
        accepted,
        permanent,
        expiresAt !== null,
        automatic,
      ]),
    ).toEqual([
      [true, true, false, false],
      [false, false, false, false],
      [true, false, true, true],
    ]);
  });
  test('a customer without a number is known by the user ID', () => {
    const { from: _, ...hidden } = reply;
    expect(readPermissionReplies(webhook(hidden))).toMatchObject([{ customerAddress: 'US.1349' }]);
    expect(readPermissionReplies(webhook({ ...hidden, from_user_id: undefined }))).toEqual([]);
  });
  test('several entries, changes and messages of one webhook are read; others are ignored', () => {
    const text = { from: '1', type: 'text', text: { body: 'hello' } };
    const other = { ...reply, interactive: { type: 'button_reply', button_reply: { id: '1' } } };
    const [entry] = webhook(text, reply, other, null, reply).entry;
    expect(readPermissionReplies({ entry: [entry, null, entry] })).toHaveLength(4);
    expect(
      readPermissionReplies({
        entry: [{ changes: [{ field: 'calls', value: { metadata, messages: [reply] } }] }],
      }),
    ).toEqual([]);
  });
  test('any JSON can be read', () => {
    const value = fc.anything({ withBigInt: false, maxDepth: 4 });
    fc.assert(
      fc.property(
        fc.oneof(
          value,
          value.map((one) => webhook(one)),
          value.map((one) => webhook({ ...reply, from: one, timestamp: one })),
        ),
        (json) => {
          expect(Array.isArray(readPermissionReplies(json))).toBe(true);
        },
      ),
    );
  });
});
