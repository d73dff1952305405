/**
 * Random credentials that must be refused, derived from valid ones. The attacker has seen tokens and keys and has an own account, but
 * no secret of the attacked account.
 */
import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { signToken } from '../stack/token.ts';
import type { SigningKey } from '../stack/token.ts';

export interface Known {
  /** A valid API key of the account. */
  apiKey: string;
  slug: string;
  signingKey: SigningKey;
  /** The claims of `token`, which is valid. */
  token: string;
  claims: Record<string, unknown>;
}
export interface Attacker {
  apiKey: string;
  slug: string;
  /** Has the same kid as the attacked account's key. */
  signingKey: SigningKey;
}

const text64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const { privateKey: rsaKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const { privateKey: ecKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Changes some bits; the result is still valid text. */
const flipped = (text: string) =>
  fc
    .array(fc.record({ at: fc.nat(Math.max(0, text.length - 1)), bit: fc.nat(6) }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((flips) =>
      flips.reduce(
        (now, { at, bit }) =>
          now.slice(0, at) + String.fromCharCode(now.charCodeAt(at) ^ (1 << bit)) + now.slice(at + 1),
        text,
      ),
    );
const cut = (text: string) => fc.nat(text.length - 1).map((end) => text.slice(0, end));
const cased = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) =>
      [...text].map((letter, at) => (upper[at] ? letter.toUpperCase() : letter.toLowerCase())).join(''),
    );
const spaced = (text: string) =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.constantFrom(' ', '\t', '\n', '\r\n', '\0', '\u00a0', '\u200b', '%20', '+'),
    )
    .map(([at, space]) => text.slice(0, at) + space + text.slice(at));
const lengthened = (text: string) =>
  fc
    .tuple(fc.constantFrom('', 'A', '=', '==', '.', '_', text), fc.string({ minLength: 1, maxLength: 50 }))
    .map(([more, random]) => text + more + random);

/** Complete Authorization headers. */
export function forgedApiKeys(known: Known, attacker: Attacker): fc.Arbitrary<string> {
  const { apiKey, slug } = known;
  const secret = apiKey.slice(apiKey.lastIndexOf('_', apiKey.length - 43) + 1);
  const theirs = attacker.apiKey.slice(`ck_${attacker.slug}_`.length);
  const half = fc.integer({ min: 8, max: secret.length - 1 });
  const keys = fc.oneof(
    flipped(apiKey),
    cut(apiKey),
    cased(apiKey),
    spaced(apiKey),
    lengthened(apiKey),
    // The prefix finds the row of the account, but the secret is wrong.
    half.map((at) => `ck_${slug}_${secret.slice(0, at)}${theirs.slice(at)}`),
    fc.constantFrom(
      `ck_${slug}_${theirs}`,
      `ck_${attacker.slug}_${secret}`,
      `ck__${secret}`,
      `ck_${slug}__${secret}`,
      `ck_${slug}_${attacker.slug}_${secret}`,
      `ck_${slug}/../${attacker.slug}_${secret}`,
      secret,
      `sk_${slug}_${secret}`,
    ),
    fc.stringMatching(/^[A-Za-z0-9_-]{43}$/).map((random) => `ck_${slug}_${random}`),
    fc.stringMatching(/^[A-Za-z0-9_-]{35}$/).map((random) => `ck_${slug}_${secret.slice(0, 8)}${random}`),
    fc.string({ maxLength: 200 }),
    fc.constant('A'.repeat(100_000)),
  );
  return fc
    .tuple(fc.constantFrom('Bearer ', 'Bearer ', 'Bearer ', 'bearer ', 'Basic ', 'Token ', ''), keys)
    .map(([scheme, key]) => scheme + key);
}

/** Agent tokens. Most consist of parts of a valid one; signed ones are signed with secrets that an attacker could have. */
export function forgedTokens(known: Known, attacker: Attacker): fc.Arbitrary<string> {
  const { signingKey, claims: body, slug, token: valid } = known;
  const [header = '', payload = '', signature = ''] = valid.split('.');
  const now = Math.floor(Date.now() / 1000);
  const secrets = fc.constantFrom(
    '',
    ' ',
    slug,
    signingKey.kid,
    valid,
    attacker.signingKey.secret,
    header,
    'null',
  );
  const algs = fc.constantFrom(
    'none',
    'None',
    'NONE',
    'nOnE',
    '',
    'HS384',
    'HS512',
    'RS256',
    'PS256',
    'ES256',
    'EdDSA',
    'hs256',
    null,
    1,
    ['HS256'],
  );
  const kids = fc.oneof(
    fc.constantFrom<unknown>(
      signingKey.kid,
      `${signingKey.kid}\0`,
      '../../dev/null',
      "' or 1=1 --",
      '',
      null,
      7,
      [signingKey.kid],
      { $ne: '' },
      'K'.repeat(5_000),
    ),
    fc.string(),
  );
  const others = fc.constantFrom<Record<string, unknown>>(
    {},
    { crit: ['b64'], b64: false },
    { crit: ['exp'] },
    { jwk: { kty: 'oct', k: Buffer.from('x').toString('base64url') } },
    { jku: 'http://127.0.0.1/keys' },
    { x5c: ['AAAA'] },
    { zip: 'DEF' },
    { cty: 'JWT' },
  );
  const altered = fc.constantFrom<Record<string, unknown>>(
    { sub: 'boss' },
    { role: 'SUPERVISOR' },
    { tnt: 'another' },
    { iss: attacker.slug },
    { exp: now + 10 ** 9 },
    { aud: 'clarion-dashboard' },
    { name: 'x'.repeat(50_000) },
  );
  /** Any header, signed with any value that an attacker may use as the secret. */
  const signedByAttacker = fc
    .tuple(secrets, kids, others, altered, fc.boolean())
    .map(([secret, kid, more, claim, alter]) =>
      signToken({ kid: '', secret }, alter ? { ...body, ...claim } : body, { kid, ...more }),
    );
  /** `none`, or an algorithm that would interpret the secret differently, with every kind of signature. */
  const otherAlgorithm = fc
    .tuple(algs, fc.constantFrom('', signature, 'AA', 'rsa', 'ec', 'hmac'))
    .map(([alg, how]) => {
      const content = `${text64({ alg, typ: 'JWT', kid: signingKey.kid })}.${payload}`;
      if (how === 'rsa')
        return `${content}.${sign('sha256', Buffer.from(content), rsaKey).toString('base64url')}`;
      if (how === 'ec') {
        const key = { key: ecKey, dsaEncoding: 'ieee-p1363' } as const;
        return `${content}.${sign('sha256', Buffer.from(content), key).toString('base64url')}`;
      }
      if (how === 'hmac')
        return `${content}.${createHmac('sha512', slug).update(content).digest('base64url')}`;
      return `${content}.${how}`;
    });
  const duplicated = fc
    .tuple(fc.constantFrom('sub', 'tnt', 'iss', 'exp', 'role'), fc.boolean())
    .map(([name, first]) => {
      const json = JSON.stringify(body);
      const extra = `"${name}":${name === 'exp' ? now + 10 ** 9 : '"boss"'}`;
      const twice = first ? `{${extra},${json.slice(1)}` : `${json.slice(0, -1)},${extra}}`;
      return `${header}.${Buffer.from(twice).toString('base64url')}.${signature}`;
    });
  return fc.oneof(
    flipped(valid),
    cut(valid),
    spaced(valid),
    lengthened(valid),
    cased(valid),
    signedByAttacker,
    otherAlgorithm,
    duplicated,
    // The signature of a valid token under other claims.
    altered.map((claim) => `${header}.${text64({ ...body, ...claim })}.${signature}`),
    fc
      .shuffledSubarray([header, payload, signature, '', valid], { minLength: 1 })
      .map((parts) => parts.join('.')),
    // Correctly signed, but by another account than it names; and expired.
    altered.map((claim) => signToken(attacker.signingKey, { ...body, ...claim, iss: slug })),
    fc
      .constantFrom<unknown>(undefined, null, 'soon', now, now - 1, 0, -1, [now + 900], { at: now })
      .map((exp) => signToken(signingKey, { ...body, exp })),
    fc.constantFrom(now + 600, 10 ** 12).map((nbf) => signToken(signingKey, { ...body, nbf })),
    fc.string({ maxLength: 300 }),
    fc.integer({ min: 8_193, max: 200_000 }).map((length) => `${header}.${'A'.repeat(length)}.${signature}`),
  );
}

/** Whether two tokens decode to the same bytes: some bits of the last base64 character of each part are ignored. */
export function sameToken(a: string, b: string): boolean {
  if (!/^[\w.-]+$/.test(a)) return false;
  const bytes = (token: string) =>
    token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex'));
  return bytes(a).join('.') === bytes(b).join('.');
}
