import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { param, parseHostPort, parseNameAddr, parseUri, splitList } from './uri.ts';
import { parseVia, stampVia } from './via.ts';

describe('parseUri', () => {
  it.each([
    [
      'sip:alice@127.0.0.1:5091;transport=UDP',
      { scheme: 'sip', user: 'alice', host: '127.0.0.1', port: 5091 },
    ],
    ['sips:b@h.example', { scheme: 'sips', user: 'b', host: 'h.example', port: 0 }],
    ['sip:[2001:db8::1]:5060', { user: '', host: '2001:db8::1', port: 5060 }],
    ['sip:user;par=u%40x@example.com', { user: 'user;par=u%40x', host: 'example.com', params: '' }],
    ['sip:h;lr?Replaces=x', { host: 'h', params: ';lr', headers: 'Replaces=x' }],
    ['tel:+4989123;phone-context=x', { scheme: 'tel', user: '+4989123', params: ';phone-context=x' }],
  ])('reads %s', (text, expected) => {
    expect(parseUri(text)).toMatchObject(expected);
  });

  it.each([
    '',
    'sip:',
    'foo:bar',
    'sip:a b@h',
    '<sip:a@h>',
    'sip:@h',
    'sip:h:',
    'sip:h:0',
    'sip:h:99999',
    'sip:a@h"x',
  ])('refuses %j', (text) => {
    expect(parseUri(text)).toBeNull();
  });

  it('returns the parts that a URI was built from', () => {
    const name = fc.stringMatching(/^[a-z0-9]{1,12}$/);
    fc.assert(
      fc.property(
        name,
        name,
        fc.integer({ min: 1, max: 65_535 }),
        name,
        name,
        (user, host, port, key, value) => {
          const parsed = parseUri(`sip:${user}@${host}:${port};${key}=${value}`);
          expect(parsed).toMatchObject({ user, host, port });
          expect(param(parsed?.params ?? '', key)).toBe(value);
        },
      ),
    );
  });
});

describe('parseNameAddr', () => {
  it('assigns the parameters of a bare URI to the header (RFC 3261 §20.10)', () => {
    expect(parseNameAddr('sip:a@h;tag=1')).toEqual({ display: '', uri: 'sip:a@h', params: ';tag=1' });
    expect(parseNameAddr('<sip:a@h;lr>;tag=1')).toEqual({ display: '', uri: 'sip:a@h;lr', params: ';tag=1' });
  });

  it('separates quotes, escapes, commas and brackets of a display name from the URI', () => {
    const value = '"A, \\"B\\" <x>" <sip:a@h>;tag=1';
    expect(parseNameAddr(value)).toEqual({ display: '"A, \\"B\\" <x>"', uri: 'sip:a@h', params: ';tag=1' });
    expect(splitList(`${value}, <sip:c@d>`)).toEqual([value, '<sip:c@d>']);
  });

  it.each(['"open <sip:a@h>', '<sip:a@h', '', '"x" sip:a@h', '<>', '<sip:a@h> junk'])(
    'refuses %j',
    (text) => {
      expect(parseNameAddr(text)).toBeNull();
    },
  );
});

describe('parseHostPort', () => {
  it.each(['h:', '[::1', '[::1]x', 'a b', 'h:1x', '[zz]'])('refuses %j', (text) => {
    expect(parseHostPort(text)).toBeNull();
  });
});

describe('stampVia', () => {
  const stamp = (value: string, address = '127.0.0.1', port = 5091): string => {
    const via = parseVia(value);
    return via === null ? 'bad' : stampVia(value, via, address, port);
  };

  it('adds rport even if the caller did not ask for it', () => {
    expect(stamp('SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK1')).toBe(
      'SIP/2.0/UDP 127.0.0.1:5091;branch=z9hG4bK1;rport=5091',
    );
  });

  it('fills an empty rport in place and adds received if the address differs', () => {
    expect(stamp('SIP/2.0/UDP 10.9.8.7:5555;rport;branch=z9hG4bK1')).toBe(
      'SIP/2.0/UDP 10.9.8.7:5555;rport=5091;branch=z9hG4bK1;received=127.0.0.1',
    );
  });
});

describe('param', () => {
  it('reads values, flags and quoted values', () => {
    const params = ';lr;a = "x;b=1" ;c=';
    expect(param(params, 'lr')).toBe('');
    expect(param(params, 'a')).toBe('"x;b=1"');
    expect(param(params, 'c')).toBe('');
    expect(param(params, 'b')).toBeUndefined();
  });

  it('takes time in proportion to the length', () => {
    const startedAt = performance.now();
    expect(param(';a'.repeat(1_000_000), 'z')).toBeUndefined();
    // About 0.1 s; more than 10 s if each parameter is searched for to the end.
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});
