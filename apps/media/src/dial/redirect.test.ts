import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TARGETS, redirectTargets } from './redirect.ts';

const hosts = (contact: string, transport: 'UDP' | 'TCP' | 'TLS' = 'UDP', status = 302) =>
  redirectTargets(status, contact, transport).map(
    ({ user, host, port, transport: over }) => `${over} ${user}@${host}:${port}`,
  );

describe('the contacts of a redirect', () => {
  test('are tried in the order of q, and those without q first', () => {
    expect(
      hosts('<sip:1@b.example>;q=0.5, "B, \\"x\\"" <sip:2;npdi@a.example:5070>;q=0.7, <sip:3@c.example>'),
    ).toEqual(['UDP 3@c.example:null', 'UDP 2;npdi@a.example:5070', 'UDP 1@b.example:null']);
  });

  test('are read without angle brackets too', () => {
    expect(hosts('sip:+44@192.0.2.1;q=0.2, sip:2@[2001:db8::1]:5061')).toEqual([
      'UDP 2@[2001:db8::1]:5061',
      'UDP +44@192.0.2.1:null',
    ]);
  });

  test.each([
    'tel:+4412345',
    '<mailto:a@b.example>',
    '<http://a.example/>',
    '<sip:c.example>',
    '<sip:a:secret@c.example>',
    '<sip:a%0d%0aX@c.example>',
    '<sip:1@c.example:0>',
    '<sip:1@c.example:70000>',
    '<sip:1@c.example;transport=sctp>',
    '*',
    '',
  ])('%s is not followed', (contact) => expect(hosts(contact)).toEqual([]));

  test('never lead from TLS to a connection without it', () => {
    const contact =
      '<sip:1@a.example>, <sip:2@b.example;transport=udp>, <sips:3@c.example>, <sip:4@d.example;transport=TLS>';
    expect(hosts(contact, 'TLS')).toEqual([
      'TLS 1@a.example:null',
      'TLS 3@c.example:null',
      'TLS 4@d.example:null',
    ]);
    expect(hosts(contact, 'UDP')[0]).toBe('UDP 1@a.example:null');
  });

  test('maddr and headers have no effect', () => {
    expect(hosts('<sip:1@a.example;maddr=10.0.0.1;lr?Route=%3Csip:10.0.0.1%3E>')).toEqual([
      'UDP 1@a.example:null',
    ]);
  });

  test('are proxies for the same number with 305, and are ignored with 380', () => {
    expect(redirectTargets(305, '<sip:proxy.example>', 'UDP')).toMatchObject([
      { user: null, host: 'proxy.example' },
    ]);
    expect(redirectTargets(380, '<sip:1@a.example>', 'UDP')).toEqual([]);
  });

  test('are limited in number, and any header is read without an error, never slowly', () => {
    const piece = fc.constantFrom('<sip:1@a.example>', '"', '<', '>', ',', ';q=', '\\', 'sip:', '@', ' ');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 300 }), (pieces) => {
        const before = performance.now();
        const targets = redirectTargets(302, pieces.join(''), 'UDP');
        expect(performance.now() - before).toBeLessThan(200);
        expect(targets.length).toBeLessThanOrEqual(MAX_TARGETS);
        for (const { host } of targets) expect(host).toMatch(/^(?:[\w.-]+|\[[\da-f:.]+\])$/i);
      }),
    );
  });
});
