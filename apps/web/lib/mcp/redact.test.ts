import { expect, test } from 'vitest';
import { redact, REDACTED } from './redact.ts';

test('masks fields with the name of a secret, at any depth', () => {
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

test('masks only the fields of resources with such a name, and no flags', () => {
  const apiKey = { id: 3, name: 'main', prefix: 'ck_acme_ab' };
  expect(redact({ apiKey, hasCredentials: true, secretSet: false })).toEqual({
    apiKey,
    hasCredentials: true,
    secretSet: false,
  });
});

test('masks a whole credential object with secrets under any name', () => {
  expect(redact({ credentials: { anything: 'x' }, service_account: { client_email: 'a@b' } })).toEqual({
    credentials: REDACTED,
    service_account: REDACTED,
  });
});
