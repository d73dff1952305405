import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { isLater, verifyWebhook, WebhookVerificationError, type WebhookRefusal } from './webhook.ts';

const secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=';
const now = new Date('2026-01-01T00:00:00Z');
const seconds = now.getTime() / 1000;
const sign = (body: string, at = seconds, by = secret) =>
  createHmac('sha256', by).update(`${at}.${body}`).digest('hex');
const body = JSON.stringify({ event_id: 'e1', event_type: 'call.ended' });

function refusal(header: string | undefined, text = body): WebhookRefusal | null {
  try {
    verifyWebhook({ headers: { 'x-clarion-signature': header }, body: text }, secret, { now });
    return null;
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.reason;
    throw error;
  }
}

describe('a webhook', () => {
  test('signed with the secret returns its event, for any form of the headers', () => {
    const header = `t=${seconds},v1=${sign(body)}`;
    const event = { event_id: 'e1', event_type: 'call.ended' };
    for (const headers of [{ 'X-Clarion-Signature': header }, new Headers({ 'x-clarion-signature': header })])
      expect(verifyWebhook({ headers, body }, secret, { now })).toEqual(event);
    expect(
      verifyWebhook({ headers: { 'x-clarion-signature': header }, body: Buffer.from(body) }, secret, { now }),
    ).toEqual(event);
  });

  test('is accepted with either secret during a rotation, and with unknown parts in the header', () => {
    expect(refusal(`t=${seconds},v1=${sign(body, seconds, 'whsec_new')},v1=${sign(body)}`)).toBeNull();
    expect(refusal(`t=${seconds},v2=xyz,v1=${sign(body)}`)).toBeNull();
  });

  test('signed more than five minutes ago or in the future is rejected', () => {
    for (const [age, expected] of [
      [300, null],
      [301, 'expired'],
      [-300, null],
      [-301, 'expired'],
    ] as const)
      expect(refusal(`t=${seconds - age},v1=${sign(body, seconds - age)}`)).toBe(expected);
  });

  test('is rejected with an explanatory message', () => {
    expect(refusal(undefined)).toBe('missing');
    expect(refusal(`v1=${sign(body)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},t=${seconds},v1=${sign(body)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},v1=${sign(body).slice(2)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},v1=${sign(body, seconds, 'whsec_other')}`)).toBe('mismatch');
    expect(refusal(`t=${seconds},v1=${sign('not json')}`, 'not json')).toBe('body');
  });

  test('with any byte of the body changed is rejected', () => {
    const header = `t=${seconds},v1=${sign(body)}`;
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        fc.pre(body[at] !== other);
        expect(refusal(header, body.slice(0, at) + other + body.slice(at + 1))).toBe('mismatch');
      }),
    );
  });

  test('with a random header never throws another error', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(refusal(header)).not.toBeNull();
      }),
    );
  });
});

describe('the Standard Webhooks headers', () => {
  const signed = (by = secret, at = now, text = body) => {
    const signature = new Webhook(by).sign('e1', at, text);
    return {
      'webhook-id': 'e1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signature,
    };
  };
  const verify = (headers: Record<string, string>, text = body, by: string | string[] = secret) => {
    try {
      return verifyWebhook({ headers, body: text }, by, { now }).event_id;
    } catch (error) {
      return error instanceof WebhookVerificationError ? error.reason : error;
    }
  };

  test('are accepted if ours are missing, as signed by the reference library', () => {
    expect(verify(signed())).toBe('e1');
    const other = 'whsec_bm90IHRoZSBzZWNyZXQgYnV0IGFub3RoZXIgb25lLi4=';
    const both = {
      ...signed(),
      'webhook-signature': `${signed(other)['webhook-signature']} ${signed()['webhook-signature']}`,
    };
    expect(verify(both)).toBe('e1');
    expect(verify(signed(other))).toBe('mismatch');
    expect(verify(signed(), `${body} `)).toBe('mismatch');
    expect(verify({ ...signed(), 'webhook-id': 'e2' })).toBe('mismatch');
    expect(verify({ ...signed(), 'webhook-signature': 'v1,short' })).toBe('malformed');
    expect(verify(signed(secret, new Date(now.getTime() - 301_000)))).toBe('expired');
  });

  test('do not make up for a wrong signature of ours', () => {
    const header = `t=${seconds},v1=${sign(body, seconds, 'whsec_other')}`;
    expect(verify({ ...signed(), 'x-clarion-signature': header })).toBe('mismatch');
  });
});

test('during a rotation any of the secrets is accepted, and an empty list is an error', () => {
  const headers = { 'x-clarion-signature': `t=${seconds},v1=${sign(body)}` };
  expect(verifyWebhook({ headers, body }, ['whsec_new', secret], { now }).event_id).toBe('e1');
  for (const none of ['', '  ', []] as const)
    expect(() => verifyWebhook({ headers, body }, none, { now })).toThrow(TypeError);
});

test('the later of two events is determined by sequence, or by time if there is none', () => {
  const at = (sequence: number | null, occurred_at: string) => ({ sequence, occurred_at });
  expect(isLater(at(3, '2026-01-01T00:00:00.000Z'), at(2, '2026-01-01T00:00:09.000Z'))).toBe(true);
  expect(isLater(at(2, '2026-01-01T00:00:09.000Z'), at(2, '2026-01-01T00:00:00.000Z'))).toBe(false);
  expect(isLater(at(null, '2026-01-01T00:00:00.001Z'), at(null, '2026-01-01T00:00:00.000Z'))).toBe(true);
});
