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

test('a script needs the nonce of its answer; nothing inline and nothing evaluated runs', () => {
  expect(policy().get('script-src')).toEqual(["'self'", "'nonce-bm9uY2U='", "'strict-dynamic'"]);
});

test('the development server may evaluate', () => {
  expect(policy({ development: true }).get('script-src')).toContain("'unsafe-eval'");
});

test('nobody shows a page in a frame, but those it is for', () => {
  expect(policy().get('frame-ancestors')).toEqual(["'none'"]);
  const frameAncestors = ['https://app.example.com', 'http://localhost:4000'];
  expect(policy({ frameAncestors }).get('frame-ancestors')).toEqual(frameAncestors);
});

test('files of another origin are played and fetched from there, and nothing else is', () => {
  const named = policy({ fileOrigins: ['https://files.example.com'] });
  expect(named.get('media-src')).toContain('https://files.example.com');
  expect(named.get('connect-src')).toEqual(["'self'", 'https://files.example.com']);
  expect(named.get('script-src')).not.toContain('https://files.example.com');
});
