/** Digest authentication (RFC 2617; RFC 3261, section 22): a carrier's challenge, and how it checks the credentials. */
import { createHash } from 'node:crypto';

export interface DigestAccount {
  realm: string;
  username: string;
  password: string;
}

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

export const challenge = (realm: string, nonce: string) =>
  `Digest realm="${realm}", nonce="${nonce}", algorithm=MD5, qop="auth"`;

export function digestFields(value: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, name = '', quoted, plain] of value.matchAll(/(\w+)=(?:"([^"]*)"|([^,\s]+))/g))
    fields[name.toLowerCase()] = quoted ?? plain ?? '';
  return fields;
}

/** Whether the credentials match the challenge with this nonce and this account. */
export function isAuthorized(value: string, method: string, account: DigestAccount, nonce: string): boolean {
  const fields = digestFields(value);
  if (fields.username !== account.username || fields.realm !== account.realm || fields.nonce !== nonce)
    return false;
  const ha1 = md5(`${account.username}:${account.realm}:${account.password}`);
  const ha2 = md5(`${method}:${fields.uri}`);
  const expected = fields.qop
    ? md5(`${ha1}:${nonce}:${fields.nc}:${fields.cnonce}:${fields.qop}:${ha2}`)
    : md5(`${ha1}:${nonce}:${ha2}`);
  return fields.response === expected;
}
