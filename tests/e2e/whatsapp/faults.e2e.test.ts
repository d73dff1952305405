/** Faults of Meta: each call ends once, with the right outcome, and nothing is left at Meta. Requests that Meta did not send do nothing. */
import { availableParallelism } from 'node:os';
import { signatureOf, type NewFault } from '@clarion/meta-simulator';
import { MAX_BODY_BYTES } from '@clarion/protocol/v1/endpoint';
import { APP_SECRET } from '@clarion/testkit/peers/whatsapp-customer';
import { TestStack } from '@clarion/testkit/stack/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WhatsAppScene } from '../outcomes/whatsapp-scene.ts';
import { SideBySide, within } from '../side-by-side.ts';
import { playFaultRow, type FaultRow } from './fault-row.ts';
import { graphRows } from './graph-rows.ts';
import { webhookRows } from './webhook-rows.ts';

const tables: [string, FaultRow[]][] = [
  ['webhooks', webhookRows],
  ['requests to Meta', graphRows],
];
/** Most of a row is waiting. */
const ROWS_AT_ONCE = 2 * availableParallelism();
const ROW_WITHIN_MS = 60_000;
const DELIVERED_WITHIN_MS = 5_000;

let t: TestStack;
let played: SideBySide<FaultRow>;

beforeAll(async () => {
  t = await TestStack.share();
  const rows = [...webhookRows, ...graphRows];
  played = new SideBySide(rows, (row) => within(ROW_WITHIN_MS, playFaultRow(t, row)), ROWS_AT_ONCE);
});
afterAll(async () => {
  await played?.all();
  await t?.stop();
});

describe.each(tables)('%s', (_, rows) => {
  test.each(rows.map((row) => [row.how, row] as const))('%s', (_how, row) => played.of(row));
});

/** A tenant with a WhatsApp line, whose only agent would be rung by any call. */
async function rungByAnyCall() {
  const scene = await WhatsAppScene.open(t);
  const ada = await scene.agent('ada');
  const number = await scene.shared(['ada']);
  return { scene, ada, number };
}

async function expectUnaffected({ scene, ada }: Awaited<ReturnType<typeof rungByAnyCall>>): Promise<void> {
  await ada.send('resync', {});
  expect(ada.received.filter(({ event }) => event === 'call:incoming')).toEqual([]);
  expect(await t.v1.ok('GET', scene.at('/calls'))).toMatchObject({ calls: [] });
  const stored = await t.db.whatsAppEvent.count({
    where: { channel: { tenant: { ref: scene.tenant, consumer: { slug: t.account.slug } } } },
  });
  expect(stored).toBe(0);
}

test.each(['forged', 'unsigned'] as const)(
  '%s webhooks are rejected: nothing is stored, and nobody is rung',
  async (kind) => {
    const { control } = t.meta.simulator;
    const line = await rungByAnyCall();
    const phoneNumberId = line.number;
    control.addWebhookFault({ kind, events: 'all', times: null, phoneNumberId } satisfies NewFault);
    const far = await line.scene.dialIn(line.number);
    await control.journal.when(
      (entry) =>
        entry.type === 'delivery' &&
        entry.delivery.subjects.includes(far.id) &&
        entry.delivery.status === 401,
      DELIVERED_WITHIN_MS,
    );
    await expectUnaffected(line);
    await far.hangUp();
  },
);

/** A webhook as Meta sends it, with an offer without media. `padding` makes the body longer. */
const connectWebhook = (phoneNumberId: string, padding = '') =>
  JSON.stringify({
    object: 'whatsapp_business_account',
    padding,
    entry: [
      {
        id: '1',
        changes: [
          {
            field: 'calls',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550100000', phone_number_id: phoneNumberId },
              calls: [
                {
                  id: `wacid.${phoneNumberId}`,
                  event: 'connect',
                  direction: 'USER_INITIATED',
                  from: '447700900999',
                  timestamp: String(Math.floor(Date.now() / 1000)),
                  session: { sdp_type: 'offer', sdp: 'v=0\r\n' },
                },
              ],
            },
          },
        ],
      },
    ],
  });

const post = (body: string, signature: string | null) =>
  fetch(`${t.baseUrl}/webhooks/whatsapp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(signature === null ? {} : { 'x-hub-signature-256': signature }),
    },
    body,
  });

test('a body that was changed after it was signed is rejected', async () => {
  const line = await rungByAnyCall();
  const signature = signatureOf(connectWebhook('1'), APP_SECRET);
  expect((await post(connectWebhook(line.number), signature)).status).toBe(401);
  await expectUnaffected(line);
});

test('a body that is too large is rejected, although it is signed', async () => {
  const line = await rungByAnyCall();
  const body = connectWebhook(line.number, 'x'.repeat(MAX_BODY_BYTES));
  expect((await post(body, signatureOf(body, APP_SECRET))).status).toBe(413);
  await expectUnaffected(line);
});
