import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tlsMaterial } from './tls-material.ts';

let dir: string;
beforeEach(() => (dir = mkdtempSync(join(tmpdir(), 'clarion-tls-'))));
afterEach(() => rmSync(dir, { recursive: true }));

const none = { certFile: '', keyFile: '', caFile: '', selfSignedIn: '', hosts: ['localhost', '127.0.0.1'] };

describe('the certificate of SIP over TLS', () => {
  it('is the operator’s, with CAs that replace those of Node', () => {
    const files = { certFile: join(dir, 'c'), keyFile: join(dir, 'k'), caFile: join(dir, 'ca') };
    for (const file of Object.values(files)) writeFileSync(file, file);
    const material = tlsMaterial({ ...none, ...files, selfSignedIn: join(dir, 'own') });
    expect(material).toEqual({ cert: files.certFile, key: files.keyFile, ca: files.caFile });
  });

  it('is absent when there are no files and none may be generated', () => {
    expect(tlsMaterial(none)).toBeNull();
  });

  it('requires its key, and readable files', () => {
    expect(() => tlsMaterial({ ...none, certFile: 'c' })).toThrow('CLARION_SIP_TLS_KEY');
    const missing = join(dir, 'missing');
    expect(() => tlsMaterial({ ...none, certFile: missing, keyFile: missing })).toThrow(
      'CLARION_SIP_TLS_CERT',
    );
  });

  it('is generated in trial mode, readable only by the gateway’s user, and replaced when it expires or the address changes', () => {
    const own = { ...none, selfSignedIn: join(dir, 'own') };
    const first = tlsMaterial(own);
    expect(tlsMaterial(own)).toEqual(first);
    expect(statSync(join(dir, 'own', 'key.pem')).mode & 0o777).toBe(0o600);
    const later = new Date(Date.now() + 800 * 24 * 3_600_000);
    const renewed = tlsMaterial(own, later);
    expect(renewed).not.toEqual(first);
    expect(tlsMaterial({ ...own, hosts: [...own.hosts, '192.0.2.1'] }, later)).not.toEqual(renewed);
    writeFileSync(join(dir, 'own', 'cert.pem'), 'damaged');
    expect(tlsMaterial(own)?.cert).toContain('BEGIN CERTIFICATE');
  });
});
