import { MASK } from '@clarion/protocol/ladder';
import { maskSdp } from '@clarion/protocol/mask-sdp';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LegTrace } from './leg-trace.ts';
import { cutMessage, maskMessage } from './mask-message.ts';

const token = fc.stringMatching(/^[a-zA-Z0-9+/]{16,60}$/);
const hex = fc.stringMatching(/^[a-f0-9]{32}$/);
const space = fc.constantFrom('', ' ', '\t', '\r\n ');
const anyCase = (name: string) => fc.constantFrom(name, name.toLowerCase(), name.toUpperCase());

const capture = (text: string, sent = false) => ({
  text,
  sent,
  transport: 'udp',
  address: '192.0.2.1',
  port: 5060,
  callId: 'c',
  method: 'INVITE',
  status: null,
  isNewInvite: true,
});

describe('credentials', () => {
  it('never shows what proves a password, whatever the form of the header', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('Authorization', 'Proxy-Authorization').chain(anyCase),
        hex,
        hex,
        space,
        fc.boolean(),
        (name, response, cnonce, gap, quoted) => {
          const q = quoted ? '"' : '';
          const text = `INVITE sip:a@b SIP/2.0\r\n${name}: Digest username="u",${gap}realm="r", response=${q}${response}${q},${gap}cnonce="${cnonce}", nonce="n"\r\nCSeq: 2 INVITE\r\n\r\n`;
          const masked = maskMessage(text);
          expect(masked).not.toContain(response);
          expect(masked).not.toContain(cnonce);
          expect(masked).toContain('username="u"');
          expect(masked).toContain('CSeq: 2 INVITE');
        },
      ),
    );
  });

  it('masks all of a scheme other than Digest, and the proof of the server', () => {
    fc.assert(
      fc.property(token, (secret) => {
        const text = `BYE sip:a@b SIP/2.0\r\nAuthorization: Bearer ${secret}\r\nAuthentication-Info: qop=auth, rspauth="${secret}"\r\n\r\n`;
        expect(maskMessage(text)).not.toContain(secret);
      }),
    );
  });
});

describe('keys', () => {
  it('never shows SRTP keys, ICE passwords or fingerprints', () => {
    fc.assert(
      fc.property(token, token, fc.boolean(), (key, other, several) => {
        const sdp = [
          'v=0',
          `a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:${key}|2^20|1:32${several ? `;inline:${other}|2^20|2:32` : ''} KDR=1`,
          `a=ice-pwd:${other}`,
          `a=fingerprint:sha-256 ${other}`,
          `k=base64:${other}`,
          'a=sendrecv',
        ].join('\r\n');
        const masked = maskSdp(sdp);
        expect(masked).not.toContain(key);
        expect(masked).not.toContain(other);
        expect(masked).toContain('AES_CM_128_HMAC_SHA1_80 inline:***');
        expect(masked).toContain('a=sendrecv');
      }),
    );
  });

  it.each([
    ['application/dtmf-relay', 'Signal=7\r\nDuration=160\r\n', 'Signal=*\r\nDuration=160'],
    ['application/dtmf-relay', 'signal = 7\r\nDuration=160\r\n', 'signal = *'],
    ['application/dtmf', '7', '*'],
  ])('shows no digit of an INFO with %s', (type, body, expected) => {
    const masked = maskMessage(`INFO sip:a@b SIP/2.0\r\nContent-Type: ${type}\r\n\r\n${body}`);
    expect(masked).toContain(expected);
    expect(masked.slice(masked.indexOf('\r\n\r\n'))).not.toContain('7');
  });
});

describe('withheld numbers', () => {
  const digits = fc.stringMatching(/^[1-9][0-9]{8,13}$/);
  const form = (number: string) =>
    fc.constantFrom(
      `sip:+${number}@host`,
      `sip:00${number}@host;user=phone`,
      `sip:0${number.slice(2)}@host`,
      `tel:+${number}`,
      `tel:+${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}`,
      `sip:%2B${number}@host`,
    );
  const name = fc.stringMatching(/^[A-Z][a-z]{4,9} [A-Z][a-z]{4,9}$/);

  it('are not in any message of the leg, in any header, body or form', () => {
    fc.assert(
      fc.property(
        digits.chain((number) => fc.tuple(fc.constant(number), form(number), form(number), form(number))),
        name,
        fc.constantFrom('P-Asserted-Identity', 'P-Preferred-Identity', 'Remote-Party-ID', 'Contact', 'From'),
        ([number, first, second, third], person, header) => {
          const trace = new LegTrace('leg', 'carrier-in');
          trace.withheld = true;
          const invite = [
            'INVITE sip:12345678901234@service SIP/2.0',
            'From: "Anonymous" <sip:anonymous@anonymous.invalid>;tag=1',
            'To: <sip:12345678901234@service>',
            `${header}: "${person}" <${first}>`,
            `P-Charge-Info: <${second}>`,
            `Identity: eyJ0eXAi.${number}`,
            `X-Carrier-Caller: ${third}`,
            'Privacy: id',
            '',
            `v=0\r\no=${number} 1 1 IN IP4 192.0.2.1`,
          ].join('\r\n');
          trace.sip(1, capture(invite));
          trace.sip(
            2,
            capture(`SIP/2.0 180 Ringing\r\nFrom: <${first}>;tag=1\r\nX-Name: ${person}\r\n\r\n`, true),
          );
          const shown = JSON.stringify(trace.masked());
          expect(shown.replaceAll(/[-. ()]/g, '')).not.toContain(number.slice(-7));
          expect(shown).not.toContain(person);
          // The called number is the tenant's own.
          if (!'12345678901234'.endsWith(number.slice(-7)))
            expect(shown).toContain('INVITE sip:12345678901234@service');
        },
      ),
    );
  });

  it('leaves a caller alone who does not withhold the number', () => {
    const trace = new LegTrace('leg', 'carrier-in');
    trace.sip(1, capture('INVITE sip:1@s SIP/2.0\r\nFrom: "Ada" <sip:+4930123456@h>;tag=1\r\n\r\n'));
    expect(JSON.stringify(trace.masked())).toContain('+4930123456');
  });

  it('takes little time for a hostile message', () => {
    const trace = new LegTrace('leg', 'carrier-in');
    trace.withheld = true;
    const long = '12'.repeat(1_900);
    trace.sip(
      1,
      capture(`INVITE sip:1@s SIP/2.0\r\nContact: ${`<sip:5551234567@h>,`.repeat(20)}\r\nX: ${long}\r\n\r\n`),
    );
    for (let i = 0; i < 63; i += 1) trace.sip(i, capture(`BYE sip:1@s SIP/2.0\r\nX: ${long}\r\n\r\n`));
    const before = performance.now();
    trace.masked();
    expect(performance.now() - before).toBeLessThan(1_000);
  });
});

describe('limits', () => {
  it('keeps the first and the last messages of a leg, and counts the others', () => {
    const trace = new LegTrace('leg', 'carrier-in');
    for (let i = 0; i < 200; i += 1) trace.sip(i, capture(`OPTIONS sip:${i}@s SIP/2.0\r\n\r\n`));
    const entries = trace.masked();
    expect(entries).toHaveLength(64);
    expect(trace.leg.omitted).toBe(136);
    expect(entries[0]?.ms).toBe(0);
    expect(entries.at(-1)?.ms).toBe(199);
  });

  it('cuts a long message at a line, so that no half of a secret remains', () => {
    fc.assert(
      fc.property(fc.integer({ min: 3_900, max: 4_200 }), (padding) => {
        const text = `INVITE sip:a@b SIP/2.0\r\nX: ${'x'.repeat(padding)}\r\nAuthorization: Digest response="0123456789abcdef"\r\n\r\n`;
        const { text: kept, cut } = cutMessage(text);
        expect(kept.length).toBeLessThanOrEqual(4_096);
        expect(kept.length + (cut ?? 0)).toBe(text.length);
        expect(maskMessage(kept)).not.toContain('0123');
        expect(MASK).toBe('***');
      }),
    );
  });
});
