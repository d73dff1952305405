/**
 * The fixture of the call tests: a gateway with a manual clock, an app and a remote phone. After each test every table
 * must be empty.
 */
import { afterEach, beforeEach, expect } from 'vitest';
import type { SipGatewayOptions } from '../src/index.ts';
import type { App, RemotePhone, Notified } from './gateway-fixture.ts';
import { GatewayFixture, SDP, toTagOf, valueOf } from './gateway-fixture.ts';

/** Longer than any timer that follows the end of a call. Ms. */
const ALL_TIMERS_MS = 70_000;

export let fixture: GatewayFixture;
export let app: App;
export let phone: RemotePhone;

/** Creates the fixture before each test of the file and closes it afterwards. */
export function useCallFixture(options: Partial<SipGatewayOptions> = {}): void {
  beforeEach(async () => {
    fixture = await GatewayFixture.start(options);
    app = await fixture.app('invite', 'options');
    phone = await fixture.remotePhone();
  });

  afterEach(async () => {
    await fixture.pass(ALL_TIMERS_MS);
    const { apps, ...load } = fixture.gateway.load;
    await fixture.stop();
    expect(apps).toBeLessThanOrEqual(2);
    expect(load).toEqual({
      dialogs: 0,
      inbound: 0,
      outbound: 0,
      serverTransactions: 0,
      clientTransactions: 0,
      timers: 0,
    });
  });
}

/** Connects the app again. */
export async function reconnect(): Promise<void> {
  app = await fixture.app('invite');
}

/** An inbound call, answered and acknowledged. */
export async function inboundCall(
  call = 'in',
  extra: string[] = [],
): Promise<{ invite: Notified; dialog: string; toTag: string; ok: string }> {
  await phone.request('INVITE', { call, body: SDP, extra });
  const invite = await app.notified(`Call-ID: ${call}`);
  const reply = await app.sip(invite.txn, '', `SIP/2.0 200 OK\r\n\r\n${SDP}`);
  const ok = await phone.inbox.take('SIP/2.0 200');
  const toTag = toTagOf(ok);
  await phone.request('ACK', { call, toTag });
  await app.notified('ACK sip:');
  return { invite, dialog: reply.dialog, toTag, ok };
}

/** An outbound INVITE as the remote phone receives it. */
export async function dial(extra: string[] = []): Promise<{ invite: string; txn: string; dialog: string }> {
  const lines = extra.map((line) => `${line}\r\n`).join('');
  const reply = await app.sip('', '', `INVITE sip:bob@127.0.0.1:${phone.port} SIP/2.0\r\n${lines}\r\n${SDP}`);
  const invite = await phone.inbox.take('INVITE sip:bob');
  const tag = /;tag=([^;\s]+)/.exec(valueOf(invite, 'From'))?.[1] ?? '';
  return { invite, txn: reply.txn, dialog: `${valueOf(invite, 'Call-ID')};from-tag=${tag}` };
}

export async function outboundCall(): Promise<{ invite: string; dialog: string; txn: string }> {
  const { invite, txn, dialog } = await dial();
  await phone.answer(invite, 200, { body: SDP });
  await app.notified('SIP/2.0 200');
  await app.sip('', dialog, 'ACK sip:placeholder SIP/2.0\r\n\r\n');
  await phone.inbox.take('ACK sip:');
  return { invite, dialog, txn };
}

export async function hangUp(dialog: string): Promise<void> {
  await app.sip('', dialog, 'BYE sip:placeholder SIP/2.0\r\n\r\n');
  await phone.answer(await phone.inbox.take('BYE sip:'), 200);
  await app.notified('CSeq: ');
}
