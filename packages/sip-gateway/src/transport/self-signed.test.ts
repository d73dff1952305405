import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { selfSigned } from './self-signed.ts';

const from = new Date('2026-01-02T03:04:05.678Z');
const until = new Date('2036-01-02T03:04:05.678Z');

describe('a self-signed certificate', () => {
  it('can be read and verified by OpenSSL', () => {
    const { key, cert } = selfSigned(['localhost', '127.0.0.1', 'sip.example'], from, until);
    const read = new X509Certificate(cert);
    expect(read.verify(read.publicKey)).toBe(true);
    expect(read.checkPrivateKey(createPrivateKey(key))).toBe(true);
    expect(read.subject).toBe('CN=Clarion SIP');
    expect(read.subjectAltName).toBe('DNS:localhost, IP Address:127.0.0.1, DNS:sip.example');
    expect([read.checkIP('127.0.0.1'), read.checkIP('127.0.0.2')]).toEqual(['127.0.0.1', undefined]);
    expect(read.checkHost('sip.example')).toBe('sip.example');
    expect(read.validFromDate.toISOString()).toBe('2026-01-02T03:04:05.000Z');
    expect(read.validToDate.toISOString()).toBe('2036-01-02T03:04:05.000Z');
  });

  it('has a new serial number and key each time', () => {
    const made = Array.from({ length: 20 }, () => new X509Certificate(selfSigned(['a'], from, until).cert));
    expect(new Set(made.map((one) => one.serialNumber)).size).toBe(20);
    expect(new Set(made.map((one) => one.publicKey.export({ type: 'spki', format: 'pem' }))).size).toBe(20);
    for (const one of made) expect(one.verify(one.publicKey)).toBe(true);
  });
});
