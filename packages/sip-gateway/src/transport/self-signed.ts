/**
 * A self-signed certificate, so that SIP over TLS works in trial mode without a CA: P-256, with node:crypto and the
 * small part of DER (ITU-T X.690) that a certificate (RFC 5280 §4.1) needs.
 */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** In PEM format. */
export interface KeyAndCert {
  readonly key: string;
  readonly cert: string;
}

const COMMON_NAME = 'Clarion SIP';
const SERIAL_BYTES = 16;
const PEM_LINE_LENGTH = 64;

/** Object identifiers, encoded: ecdsa-with-SHA256, commonName, subjectAltName, basicConstraints. */
const ECDSA_SHA256 = oid('2a8648ce3d040302');
const CN = oid('550403');
const SUBJECT_ALT_NAME = oid('551d11');
const BASIC_CONSTRAINTS = oid('551d13');

/** @param hosts IPv4 addresses and host names of the certificate */
export function selfSigned(hosts: readonly string[], from: Date, until: Date): KeyAndCert {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(tlv(0x31, sequence(CN, tlv(0x0c, Buffer.from(COMMON_NAME)))));
  const body = sequence(
    tlv(0xa0, integer(Buffer.of(2))),
    integer(positive(randomBytes(SERIAL_BYTES))),
    sequence(ECDSA_SHA256),
    name,
    sequence(time(from), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tlv(
      0xa3,
      sequence(
        // A CA for itself only; otherwise OpenSSL does not accept it as a trusted certificate.
        sequence(BASIC_CONSTRAINTS, TRUE, octets(sequence(TRUE))),
        sequence(SUBJECT_ALT_NAME, octets(sequence(...hosts.map(alternativeName)))),
      ),
    ),
  );
  const signature = tlv(0x03, Buffer.of(0), sign('sha256', body, privateKey));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pem(sequence(body, sequence(ECDSA_SHA256), signature)),
  };
}

const TRUE = tlv(0x01, Buffer.of(0xff));

function tlv(tag: number, ...content: readonly Buffer[]): Buffer {
  const value = Buffer.concat(content);
  const { length } = value;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

function sequence(...content: readonly Buffer[]): Buffer {
  return tlv(0x30, ...content);
}

function octets(content: Buffer): Buffer {
  return tlv(0x04, content);
}

function integer(bytes: Buffer): Buffer {
  return tlv(0x02, bytes);
}

/** As a positive INTEGER without a leading zero octet. */
function positive(bytes: Buffer): Buffer {
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes;
}

function oid(hex: string): Buffer {
  return tlv(0x06, Buffer.from(hex, 'hex'));
}

/** UTCTime, which is valid until 2049 (RFC 5280 §4.1.2.5). */
function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(2, 14);
  return tlv(0x17, Buffer.from(`${digits}Z`));
}

function alternativeName(host: string): Buffer {
  return isIPv4(host) ? tlv(0x87, Buffer.from(host.split('.').map(Number))) : tlv(0x82, Buffer.from(host));
}

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(new RegExp(`.{1,${PEM_LINE_LENGTH}}`, 'g')) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
