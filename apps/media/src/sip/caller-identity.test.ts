import type { CallerIdentity } from '@clarion/protocol/media';
import { expect, test } from 'vitest';
import { testTrunk } from '../../test/support/media-fixture.ts';
import { callerHeaders } from './caller-identity.ts';

const headers = (change: Partial<CallerIdentity>, callerName: string | null = 'Acme "Ltd"') => {
  const trunk = testTrunk(5060);
  return callerHeaders({
    trunk: { ...trunk, identity: { ...trunk.identity, ...change } },
    called: '4930555',
    caller: '+4917111',
    callerName,
  });
};

test('by default From, Contact and P-Asserted-Identity have the caller ID and our address', () => {
  expect(headers({})).toEqual({
    From: '"Acme Ltd" <sip:+4917111@localhost>',
    Contact: '<sip:+4917111@localhost>',
    'P-Asserted-Identity': '"Acme Ltd" <sip:+4917111@localhost>',
  });
  expect(headers({}, null).From).toBe('<sip:+4917111@localhost>');
});

test('fromDomain is the host of From and P-Asserted-Identity, not of Contact', () => {
  expect(headers({ fromDomain: 'sip.acme.example' }, null)).toEqual({
    From: '<sip:+4917111@sip.acme.example>',
    Contact: '<sip:+4917111@localhost>',
    'P-Asserted-Identity': '<sip:+4917111@sip.acme.example>',
  });
});

test.each(['a.example>', 'a b', 'a\r\nX: y', ''])(
  'a fromDomain that is no host (%s) is ignored',
  (fromDomain) => expect(headers({ fromDomain }, null).From).toBe('<sip:+4917111@localhost>'),
);

test('with fromUser the caller ID is in P-Asserted-Identity only', () => {
  const { From, Contact, 'P-Asserted-Identity': asserted } = headers({ fromUser: 'acme#1', userPhone: true });
  expect(From).toBe('"Acme Ltd" <sip:acme%231@localhost>');
  expect(Contact).toBe('<sip:acme%231@localhost>');
  expect(asserted).toContain('+4917111');
});

test('userPhone marks the number in From', () =>
  expect(headers({ userPhone: true }, null).From).toBe('<sip:+4917111@localhost;user=phone>'));

test('without P-Asserted-Identity', () =>
  expect(headers({ assertedIdentity: false })).not.toHaveProperty('P-Asserted-Identity'));

test('hideCallerId leaves the number and name to P-Asserted-Identity, with Privacy', () => {
  const hidden = headers({ hideCallerId: true, fromUser: 'acme', fromDomain: 'a.example' });
  const { 'P-Asserted-Identity': asserted, ...visible } = hidden;
  expect(asserted).toContain('+4917111');
  expect(visible).toMatchObject({ Privacy: 'id', From: '"Anonymous" <sip:anonymous@anonymous.invalid>' });
  expect(JSON.stringify(visible)).not.toMatch(/4917111|Acme|acme/);
});
