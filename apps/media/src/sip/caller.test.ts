import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callerOf } from './caller.ts';

const NUMBER = '+447700900123';
const read = (headers: Record<string, string>) => callerOf((name) => headers[name]);
const from = `"Grace" <sip:${NUMBER}@carrier.example>;tag=1`;
const asserted = `"Grace" <sip:${NUMBER}@carrier.example>`;
const withheld = { withheld: true, fromUser: 'anonymous', fromName: null, assertedUser: null };

test('a caller who withholds nothing has a name and a number', () => {
  const known = { withheld: false, fromUser: NUMBER, fromName: 'Grace', assertedUser: NUMBER };
  expect(read({ From: from, 'P-Asserted-Identity': asserted })).toEqual(known);
  for (const Privacy of ['none', 'session', 'critical', 'history', '', 'none;critical']) {
    expect(read({ From: from, 'P-Asserted-Identity': asserted, Privacy }), Privacy).toEqual(known);
  }
  const party = `<sip:${NUMBER}@carrier.example>;party=calling;privacy=off`;
  expect(read({ From: from, 'P-Asserted-Identity': asserted, 'Remote-Party-ID': party })).toEqual(known);
});

test.each([
  ...['id', 'user', 'header', 'ID', 'id;critical', 'user; id', 'header,id', ' id '].map((Privacy) => ({
    From: from,
    Privacy,
  })),
  { From: '"Anonymous" <sip:anonymous@anonymous.invalid>;tag=1' },
  { From: `<sip:${NUMBER}@anonymous.invalid>;tag=1` },
  { From: '<sip:Anonymous@carrier.example>;tag=1' },
  { From: '<sip:restricted@carrier.example>;tag=1' },
  { From: '<sip:withheld@carrier.example>;tag=1' },
  { From: 'sip:Private%20Number@carrier.example' },
  { From: from, 'P-Asserted-Identity': '<sip:anonymous@carrier.example>' },
  ...[
    'full',
    'FULL',
    '"full"',
    'full-network',
    'uri',
    'uri-network',
    'name;privacy=uri',
    'name,uri',
    '"name, uri"',
  ].map((privacy) => ({
    From: from,
    'Remote-Party-ID': `"Grace" <sip:${NUMBER}@carrier.example>;party=calling;privacy=${privacy};screen=yes`,
  })),
  { From: from, 'Remote-Party-ID': `sip:${NUMBER}@carrier.example;privacy=full` },
  { From: from, 'Remote-Party-ID': `${asserted};privacy=off,${asserted};privacy=full` },
])('a withheld number does not leave the media node: %o', (headers) => {
  expect(read({ 'P-Asserted-Identity': asserted, ...headers })).toEqual(withheld);
});

test.each([
  `${asserted};privacy=name`,
  `${asserted}; privacy = "name" ;screen=yes`,
  `${asserted};party=calling;privacy=name-network`,
  `${asserted};privacy=name,off`,
  `${asserted};party=called;privacy=full,${asserted};party=calling;privacy=name`,
])('a caller who withholds only the display name is known by the number: %s', (party) => {
  const headers = { From: from, 'P-Asserted-Identity': asserted, 'Remote-Party-ID': party };
  expect(read(headers)).toEqual({ withheld: false, fromUser: NUMBER, fromName: null, assertedUser: NUMBER });
});

test.each([
  `${asserted};party=called;privacy=full`,
  `";privacy=full" <sip:${NUMBER}@carrier.example>;privacy=off`,
  `<sip:${NUMBER}@carrier.example;privacy=full>`,
])('a Remote-Party-ID that withholds nothing about the caller: %s', (party) => {
  expect(read({ From: from, 'Remote-Party-ID': party })).toMatchObject({
    withheld: false,
    fromName: 'Grace',
  });
});

test('names and numbers that only resemble `anonymous` are not withheld', () => {
  for (const user of ['privateer', 'anonymous1', 'unknown', 'unavailable', 'restrictedarea']) {
    expect(read({ From: `<sip:${user}@carrier.example>` }), user).toMatchObject({
      withheld: false,
      fromUser: user,
    });
  }
});

test('Privacy: id removes name and number, whatever the other headers say', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (From, identity, more) => {
      const headers = { From, 'P-Asserted-Identity': identity, Privacy: `id;${more}` };
      expect(read(headers)).toEqual(withheld);
    }),
  );
});
