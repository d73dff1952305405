import { expect, test } from 'vitest';
import { redact, REDACTED } from './redact.ts';

test('masks what is named like a secret, at any depth', () => {
  expect(
    redact({
      secret: 'whsec_x',
      webhook: { url: 'https://x', secretSet: true },
      list: [{ token: 'abc', tokens: ['a'] }, { nested: { key_p8: 'pem', apiKey: 'ck_x', password: 'p' } }],
    }),
  ).toEqual({
    secret: REDACTED,
    webhook: { url: 'https://x', secretSet: true },
    list: [
      { token: REDACTED, tokens: REDACTED },
      { nested: { key_p8: REDACTED, apiKey: REDACTED, password: REDACTED } },
    ],
  });
});

test('looks into resources with such a name, and leaves flags alone', () => {
  const apiKey = { id: 3, name: 'main', prefix: 'ck_acme_ab' };
  expect(redact({ apiKey, hasCredentials: true, secretSet: false })).toEqual({
    apiKey,
    hasCredentials: true,
    secretSet: false,
  });
});

test('masks a whole credential object that holds secrets of any name', () => {
  expect(redact({ credentials: { anything: 'x' }, service_account: { client_email: 'a@b' } })).toEqual({
    credentials: REDACTED,
    service_account: REDACTED,
  });
});
