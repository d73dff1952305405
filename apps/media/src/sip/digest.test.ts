import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DigestSession, digestHeader, isChallenge, parseChallenges, strongest } from './digest.ts';

const credentials = { username: 'Mufasa', password: 'Circle of Life' };
const request = { method: 'GET', uri: '/dir/index.html' };
const one = (header: string) => {
  const challenge = strongest(parseChallenges(header));
  if (!challenge) throw new Error(header);
  return challenge;
};
const response = (status: number, challenge: string) => ({
  status,
  get: (name: string) =>
    name === (status === 401 ? 'WWW-Authenticate' : 'Proxy-Authenticate') ? challenge : undefined,
});
const invite = { method: 'INVITE', uri: 'sip:44@192.0.2.1' };
const parameter = (header: string | undefined, name: string) =>
  new RegExp(`[ ,]${name}="?([^",]*)"?`).exec(header ?? '')?.[1];

describe('the examples of RFC 7616 §3.9.1', () => {
  const common =
    'realm="http-auth@example.org", qop="auth, auth-int", ' +
    'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"';
  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('are computed with %s', (algorithm, expected) => {
    const header = digestHeader(
      one(`Digest ${common}, algorithm=${algorithm}`),
      request,
      credentials,
      1,
      'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ',
    );
    expect(parameter(header, 'response')).toBe(expected);
    expect(parameter(header, 'nc')).toBe('00000001');
    expect(parameter(header, 'qop')).toBe('auth');
    expect(parameter(header, 'opaque')).toBe('FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS');
    expect(parameter(header, 'algorithm')).toBe(algorithm);
  });

  test('RFC 2617 §3.5 without and with qop', () => {
    const old = { username: 'Mufasa', password: 'Circle Of Life' };
    const challenge = 'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093"';
    const plain = digestHeader(one(challenge), request, old, 1, '0a4f113b');
    expect(parameter(plain, 'response')).toBe('670fd8c2df070c60b045671b8b24ff02');
    expect(plain).not.toMatch(/cnonce|nc=|qop/);
    const auth = digestHeader(one(`${challenge}, qop="auth,auth-int"`), request, old, 1, '0a4f113b');
    expect(parameter(auth, 'response')).toBe('6629fae49393a05397450978507c4ef1');
  });
});

describe('challenges', () => {
  test('the strongest algorithm that we support is answered, whatever the order', () => {
    const md5 = 'Digest realm="a", nonce="1"';
    const sha = 'Digest realm="a", nonce="2", algorithm=SHA-256';
    const future = 'Digest realm="a", nonce="3", algorithm=SHA3-512';
    for (const header of [`${md5},${sha},${future}`, `${future}, ${sha}, ${md5}`])
      expect(one(header)).toMatchObject({ nonce: '2', algorithm: { name: 'SHA-256' } });
  });

  test('quotes, escapes, commas in values, other schemes and odd spacing are read', () => {
    expect(
      parseChallenges(
        'Basic realm="x", DIGEST  realm = "a, \\"b\\"" ,nonce="n=,", Stale=TRUE,qop="auth",opaque="" ,' +
          'Bearer token68, Digest nonce="only"',
      ),
    ).toEqual([
      expect.objectContaining({ realm: 'a, "b"', nonce: 'n=,', stale: true, qop: 'auth', opaque: '' }),
    ]);
  });

  test('an unknown algorithm, and a qop that we do not support, are not answered', () => {
    expect(parseChallenges('Digest realm="a", nonce="1", algorithm=AKAv1-MD5')).toEqual([]);
    expect(parseChallenges('Digest realm="a", nonce="1", qop="auth-conf"')).toEqual([]);
    expect(parseChallenges(undefined)).toEqual([]);
  });

  test('auth-int, which includes the body, is used only if auth is not offered', () => {
    const challenge = one('Digest realm="a", nonce="1", qop="auth-int"');
    const answer = (body: string) =>
      parameter(digestHeader(challenge, { ...request, body }, credentials, 1, 'c'), 'response');
    expect(answer('x')).not.toBe(answer('y'));
  });

  test('any header is parsed without an error, and never slowly', () => {
    const piece = fc.constantFrom('Digest ', 'realm="', 'nonce=', '"', '\\', ',', ' ', '=', 'a', 'Basic');
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string()), { maxLength: 300 }), (pieces) => {
        const before = performance.now();
        parseChallenges(pieces.join(''));
        expect(performance.now() - before).toBeLessThan(200);
      }),
    );
  });
});

describe('a session', () => {
  test('answers once, and ends when the answer is rejected', () => {
    const attempt = new DigestSession(credentials).attempt();
    expect(attempt.remembered(invite)).toEqual({});
    const first = attempt.answer(response(401, 'Digest realm="a", nonce="1", qop="auth"'), invite);
    expect(parameter(first?.Authorization, 'nonce')).toBe('1');
    expect(attempt.answer(response(401, 'Digest realm="a", nonce="2", qop="auth"'), invite)).toBeNull();
  });

  test('repeats once with a new nonce if the first had expired', () => {
    const attempt = new DigestSession(credentials).attempt();
    attempt.answer(response(407, 'Digest realm="a", nonce="1"'), invite);
    const second = attempt.answer(response(407, 'Digest realm="a", nonce="2", stale=true'), invite);
    expect(parameter(second?.['Proxy-Authorization'], 'nonce')).toBe('2');
    expect(attempt.answer(response(407, 'Digest realm="a", nonce="3", stale=true'), invite)).toBeNull();
  });

  test('does not repeat a nonce that is called stale', () => {
    const attempt = new DigestSession(credentials).attempt();
    attempt.answer(response(401, 'Digest realm="a", nonce="1"'), invite);
    expect(attempt.answer(response(401, 'Digest realm="a", nonce="1", stale=true'), invite)).toBeNull();
  });

  test('answers a proxy and then the server behind it, with both headers', () => {
    const attempt = new DigestSession(credentials).attempt();
    attempt.answer(response(407, 'Digest realm="proxy", nonce="1"'), invite);
    const both = attempt.answer(response(401, 'Digest realm="server", nonce="2"'), invite);
    expect(parameter(both?.['Proxy-Authorization'], 'realm')).toBe('proxy');
    expect(parameter(both?.Authorization, 'realm')).toBe('server');
  });

  test('uses a remembered nonce with the next count, and accepts that it is challenged again', () => {
    const session = new DigestSession(credentials);
    session.attempt().answer(response(401, 'Digest realm="a", nonce="1", qop="auth"'), invite);
    const later = session.attempt();
    expect(parameter(later.remembered(invite).Authorization, 'nc')).toBe('00000002');
    const again = later.answer(response(401, 'Digest realm="a", nonce="2", qop="auth"'), invite);
    expect(parameter(again?.Authorization, 'nonce')).toBe('2');
    expect(parameter(again?.Authorization, 'nc')).toBe('00000001');
    expect(later.answer(response(401, 'Digest realm="a", nonce="3", qop="auth"'), invite)).toBeNull();
  });

  test('forgets a rejected challenge, so that the next request is not refused for it', () => {
    const session = new DigestSession(credentials);
    const attempt = session.attempt();
    attempt.answer(response(401, 'Digest realm="a", nonce="1"'), invite);
    attempt.answer(response(401, 'Digest realm="a", nonce="2"'), invite);
    expect(session.attempt().remembered(invite)).toEqual({});
  });

  test('never answers more than twice per realm, whatever the server sends', () => {
    const nonce = fc.constantFrom('1', '2', '3');
    fc.assert(
      fc.property(fc.array(fc.tuple(nonce, fc.boolean()), { minLength: 3, maxLength: 10 }), (challenges) => {
        const attempt = new DigestSession(credentials).attempt();
        const answers = challenges.map(([value, stale]) =>
          attempt.answer(response(401, `Digest realm="a", nonce="${value}", stale=${stale}`), invite),
        );
        const ended = answers.indexOf(null);
        expect(ended).toBeGreaterThan(0);
        expect(ended).toBeLessThanOrEqual(2);
      }),
    );
  });

  test('sends an empty password and a username with quotes', () => {
    const attempt = new DigestSession({ username: 'a"b', password: '' }).attempt();
    const header = attempt.answer(response(401, 'Digest realm="a", nonce="1"'), invite)?.Authorization;
    expect(header).toContain('username="a\\"b"');
  });

  test('only 401 and 407 are challenges', () => {
    expect([401, 407, 403, 200].map((status) => isChallenge({ status }))).toEqual([true, true, false, false]);
  });
});
