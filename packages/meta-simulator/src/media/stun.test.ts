import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bindingSuccess, isStun, parseBindingRequest } from './stun.ts';

/** The sample request of RFC 5769, section 2.1. */
const request = Buffer.from(
  '000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74' +
    '002400046e0001ff80290008932ff9b151263b36000600096576746a3a6836765920202000080014' +
    '9aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf',
  'hex',
);
const PASSWORD = 'VOkJxbRl1RmTxUk/WvJxBt';

test('reads the sample request of RFC 5769', () => {
  const parsed = parseBindingRequest(request);
  expect(parsed).toMatchObject({ username: 'evtj:h6vY', nominates: false, role: 'controlled' });
  expect(parsed?.integrity(PASSWORD)).toBe(true);
  expect(parsed?.integrity('another password')).toBe(false);
});

test('writes the mapped address of the sample response of RFC 5769', () => {
  const id = request.subarray(8, 20);
  const response = bindingSuccess(id, { address: '192.0.2.1', port: 32_853 }, PASSWORD);
  expect(response.toString('hex')).toContain('002000080001a147e112a643');
  const ipv6 = bindingSuccess(
    id,
    { address: '2001:db8:1234:5678:11:2233:4455:6677', port: 32_853 },
    PASSWORD,
  );
  expect(ipv6.toString('hex')).toContain('002000140002a1470113a9faa5d3f179bc25f4b5bed2b9d9');
});

test('no datagram makes it throw, and a changed one is not authentic', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      parseBindingRequest(Buffer.from(bytes));
    }),
  );
  fc.assert(
    fc.property(fc.nat(75), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const changed = Buffer.from(request);
      changed[at] = (changed[at] ?? 0) ^ change;
      expect(parseBindingRequest(changed)?.integrity(PASSWORD) ?? false).toBe(false);
    }),
  );
});

test('DTLS and SRTP are not STUN', () => {
  expect(isStun(Buffer.concat([Buffer.from([22]), request.subarray(1)]))).toBe(false);
  expect(isStun(Buffer.concat([Buffer.from([128]), request.subarray(1)]))).toBe(false);
});
