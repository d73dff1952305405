/** The certificate for SIP over TLS: the operator's files, or a self-signed one in trial mode. */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { selfSigned, type KeyAndCert } from './transport/self-signed.ts';
import type { TlsMaterial } from './transport/tls.ts';

const DAY_MS = 24 * 3_600_000;
const SELF_SIGNED_VALIDITY_MS = 825 * DAY_MS;
/** A certificate that expires sooner than this is replaced at startup. */
const RENEW_BEFORE_EXPIRY_MS = 30 * DAY_MS;

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** '' uses the CAs that Node trusts. */
  readonly caFile: string;
  /** Where a self-signed certificate may be stored; '' if none may be generated. */
  readonly selfSignedIn: string;
  readonly hosts: readonly string[];
}

/** Null if there is no certificate, so that TLS is not enabled. Throws if a file cannot be read. */
export function tlsMaterial(files: TlsFiles, now = new Date()): TlsMaterial | null {
  const pair = ownFiles(files) ?? (files.selfSignedIn === '' ? null : storedOrNew(files, now));
  if (pair === null) return null;
  return files.caFile === '' ? pair : { ...pair, ca: read(files.caFile, 'CLARION_SIP_TLS_CA') };
}

function ownFiles({ certFile, keyFile }: TlsFiles): KeyAndCert | null {
  if (certFile === '' && keyFile === '') return null;
  if (certFile === '' || keyFile === '') {
    throw new Error('CLARION_SIP_TLS_CERT and CLARION_SIP_TLS_KEY must be set together');
  }
  return {
    cert: read(certFile, 'CLARION_SIP_TLS_CERT'),
    key: read(keyFile, 'CLARION_SIP_TLS_KEY'),
  };
}

function read(file: string, setting: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${setting} is not a readable file: ${String(error)}`, { cause: error });
  }
}

/** The stored self-signed certificate, or a new one. */
function storedOrNew({ selfSignedIn, hosts }: TlsFiles, now: Date): KeyAndCert {
  const certFile = join(selfSignedIn, 'cert.pem');
  const keyFile = join(selfSignedIn, 'key.pem');
  if (existsSync(certFile) && existsSync(keyFile)) {
    const pair = { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
    if (isUsable(pair.cert, hosts, now)) return pair;
  }
  const pair = selfSigned(
    hosts,
    new Date(now.getTime() - DAY_MS),
    new Date(now.getTime() + SELF_SIGNED_VALIDITY_MS),
  );
  mkdirSync(selfSignedIn, { recursive: true, mode: 0o700 });
  writeFileSync(keyFile, pair.key, { mode: 0o600 });
  writeFileSync(certFile, pair.cert, { mode: 0o600 });
  return pair;
}

function isUsable(pem: string, hosts: readonly string[], now: Date): boolean {
  try {
    const cert = new X509Certificate(pem);
    const named = (host: string) => cert.checkHost(host) !== undefined || cert.checkIP(host) !== undefined;
    return cert.validToDate.getTime() - now.getTime() > RENEW_BEFORE_EXPIRY_MS && hosts.every(named);
  } catch {
    return false;
  }
}
