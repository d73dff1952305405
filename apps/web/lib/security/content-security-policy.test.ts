import { expect, test } from 'vitest';
import { contentSecurityPolicy } from './content-security-policy.ts';

const policy = (more: Partial<Parameters<typeof contentSecurityPolicy>[0]> = {}) =>
  new Map(
    contentSecurityPolicy({ nonce: 'bm9uY2U=', development: false, ...more })
      .split('; ')
      .map((directive) => {
        const [name = '', ...values] = directive.split(' ');
        return [name, values];
      }),
  );

test('a script needs the nonce of its response; inline scripts and eval are blocked', () => {
  expect(policy().get('script-src')).toEqual(["'self'", "'nonce-bm9uY2U='", "'strict-dynamic'"]);
});

test('the development server may use eval', () => {
  expect(policy({ development: true }).get('script-src')).toContain("'unsafe-eval'");
});

test('only allowed sites may show a page in a frame', () => {
  expect(policy().get('frame-ancestors')).toEqual(["'none'"]);
  const frameAncestors = ['https://app.example.com', 'http://localhost:4000'];
  expect(policy({ frameAncestors }).get('frame-ancestors')).toEqual(frameAncestors);
});

test("files may be fetched and played from the store's origin, and nothing else may", () => {
  const named = policy({ fileOrigins: ['https://files.example.com'] });
  expect(named.get('media-src')).toContain('https://files.example.com');
  expect(named.get('connect-src')).toEqual(["'self'", 'https://files.example.com']);
  expect(named.get('script-src')).not.toContain('https://files.example.com');
});
