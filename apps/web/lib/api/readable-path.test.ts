import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readablePath } from './readable-path.ts';

test.each([
  ['/v1/tenants/%zz', '/v1/tenants/%00'],
  ['/v1/tenants/%ff/agents/%E0%A4%A?x=%zz', '/v1/tenants/%00/agents/%00?x=%zz'],
  ['/v1/tenants/a%', '/v1/tenants/%00'],
  ['/v1/tenants/a%20b?x=%', '/v1/tenants/a%20b?x=%'],
  ['/v1/tenants/caf%C3%A9', '/v1/tenants/caf%C3%A9'],
  ['/v1/tenants/shop', '/v1/tenants/shop'],
  ['/v1/tenants/shop/', '/v1/tenants/shop/%00'],
  ['/v1/tenants/shop/agents/?x=/', '/v1/tenants/shop/agents/%00?x=/'],
  ['/v1/tenants/%zz/', '/v1/tenants/%00/%00'],
  ['/v1/', '/v1/%00'],
  ['/v1/tenants/shop/agents/..', '/v1/tenants/shop/agents/%00'],
  ['/v1/tenants/shop/agents/%2E.?x=..', '/v1/tenants/shop/agents/%00?x=..'],
  ['/v1/tenants/./agents/../push-tokens/d', '/v1/tenants/%00/agents/%00/push-tokens/d'],
  ['/v1/tenants/...', '/v1/tenants/...'],
  ['/v1', '/v1'],
  ['/docs/', '/docs/'],
  ['/v1/tenants?x=/', '/v1/tenants?x=/'],
])('%s becomes %s', (sent, read) => {
  expect(readablePath(sent)).toBe(read);
});

test('any path becomes valid, and a valid path is not changed', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom('%', '/', '?', 'zz', '%41', '%ff'), fc.string())),
      (parts) => {
        const sent = parts.join('');
        const path = readablePath(sent).split(/[?#]/, 1)[0] ?? '';
        expect(() => decodeURIComponent(path)).not.toThrow();
        expect(readablePath(readablePath(sent))).toBe(readablePath(sent));
      },
    ),
  );
});
