import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyWebhook, WebhookVerificationError, type WebhookRefusal } from './webhook.ts';

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
  test('signed with the secret gives its event, however the headers come', () => {
    const header = `t=${seconds},v1=${sign(body)}`;
    const event = { event_id: 'e1', event_type: 'call.ended' };
    for (const headers of [{ 'X-Clarion-Signature': header }, new Headers({ 'x-clarion-signature': header })])
      expect(verifyWebhook({ headers, body }, secret, { now })).toEqual(event);
    expect(
      verifyWebhook({ headers: { 'x-clarion-signature': header }, body: Buffer.from(body) }, secret, { now }),
    ).toEqual(event);
  });

  test('is accepted on either secret while one is being rotated, and with parts that come later', () => {
    expect(refusal(`t=${seconds},v1=${sign(body, seconds, 'whsec_new')},v1=${sign(body)}`)).toBeNull();
    expect(refusal(`t=${seconds},v2=xyz,v1=${sign(body)}`)).toBeNull();
  });

  test('from longer ago or further ahead than five minutes is refused', () => {
    for (const [age, expected] of [
      [300, null],
      [301, 'expired'],
      [-300, null],
      [-301, 'expired'],
    ] as const)
      expect(refusal(`t=${seconds - age},v1=${sign(body, seconds - age)}`)).toBe(expected);
  });

  test('says what is wrong', () => {
    expect(refusal(undefined)).toBe('missing');
    expect(refusal(`v1=${sign(body)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},t=${seconds},v1=${sign(body)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},v1=${sign(body).slice(2)}`)).toBe('malformed');
    expect(refusal(`t=${seconds},v1=${sign(body, seconds, 'whsec_other')}`)).toBe('mismatch');
    expect(refusal(`t=${seconds},v1=${sign('not json')}`, 'not json')).toBe('body');
  });

  test('with any byte of the body changed is refused', () => {
    const header = `t=${seconds},v1=${sign(body)}`;
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, other) => {
        fc.pre(body[at] !== other);
        expect(refusal(header, body.slice(0, at) + other + body.slice(at + 1))).toBe('mismatch');
      }),
    );
  });

  test('with any header never throws anything else', () => {
    fc.assert(
      fc.property(fc.string(), (header) => {
        expect(refusal(header)).not.toBeNull();
      }),
    );
  });
});
