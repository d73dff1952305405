import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { newWebhookSecret, PREVIOUS_SECRET_MS, signatureHeaders, signingSecrets } from './signature.ts';

const id = '0198f7a2-5b7e-7cc1-8f3a-2f6f5f1d9f11';
/** The standard's verifier rejects signatures older than five minutes. */
const recent = fc.integer({ min: 0, max: 60_000 }).map((ago) => new Date(Date.now() - ago));
/** Any text that UTF-8 can carry. */
const bodies = fc.oneof(fc.string({ unit: 'grapheme' }), fc.json());

test('matches a known vector', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const headers = signatureHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}', at: new Date(1614265330_000) },
    [secret],
  );
  // The example of the Standard Webhooks libraries.
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  expect(headers['webhook-timestamp']).toBe('1614265330');
  const hex = createHmac('sha256', secret).update('1614265330.{"test": 2432232314}').digest('hex');
  expect(headers['X-Clarion-Signature']).toBe(`t=1614265330,v1=${hex}`);
});

test('the Standard Webhooks verifier accepts signed requests with any body', () => {
  fc.assert(
    fc.property(bodies, recent, fc.uuid(), (body, at, eventId) => {
      const secret = newWebhookSecret();
      const headers = signatureHeaders({ id: eventId, body, at }, [secret]);
      new Webhook(secret).verify(body, headers, { jsonParse: false });
    }),
  );
});

test('a changed body, ID, time or secret is rejected', () => {
  fc.assert(
    fc.property(bodies, fc.string({ minLength: 1 }), recent, (body, extra, at) => {
      const secret = newWebhookSecret();
      const headers = signatureHeaders({ id, body, at }, [secret]);
      const verify =
        (key: string, text: string, changes: Record<string, string> = {}) =>
        () =>
          new Webhook(key).verify(text, { ...headers, ...changes }, { jsonParse: false });
      expect(verify(secret, body + extra)).toThrow();
      expect(verify(newWebhookSecret(), body)).toThrow();
      expect(verify(secret, body, { 'webhook-id': `${id}x` })).toThrow();
      const before = String(Number(headers['webhook-timestamp']) - 1);
      expect(verify(secret, body, { 'webhook-timestamp': before })).toThrow();
    }),
  );
});

test('during a rotation either secret verifies, in both headers', () => {
  const [current, previous] = [newWebhookSecret(), newWebhookSecret()];
  const at = new Date();
  const headers = signatureHeaders({ id, body: '{}', at }, [current, previous]);
  const [t, first, second] = (headers['X-Clarion-Signature'] ?? '').split(',');
  const hex = (secret: string) =>
    createHmac('sha256', secret)
      .update(`${t?.slice(2)}.{}`)
      .digest('hex');
  expect([first, second]).toEqual([`v1=${hex(current)}`, `v1=${hex(previous)}`]);
  new Webhook(current).verify('{}', headers);
  new Webhook(previous).verify('{}', headers);
});

test('the secret before the last rotation signs until it expires', () => {
  const now = new Date();
  const consumer = {
    webhookSecretSealed: 'new',
    previousSecretSealed: 'old',
    previousSecretUntil: new Date(now.getTime() + PREVIOUS_SECRET_MS),
  };
  expect(PREVIOUS_SECRET_MS).toBe(24 * 3_600_000);
  expect(signingSecrets(consumer, now)).toEqual(['new', 'old']);
  expect(signingSecrets(consumer, new Date(now.getTime() + PREVIOUS_SECRET_MS - 1))).toEqual(['new', 'old']);
  expect(signingSecrets(consumer, consumer.previousSecretUntil)).toEqual(['new']);
  expect(
    signingSecrets({ webhookSecretSealed: null, previousSecretSealed: null, previousSecretUntil: null }, now),
  ).toEqual([]);
});

test('a new secret is whsec_ and 32 random bytes in base64', () => {
  const made = Array.from({ length: 50 }, newWebhookSecret);
  expect(new Set(made).size).toBe(50);
  for (const secret of made) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
});
