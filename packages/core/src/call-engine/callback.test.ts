import { expect, test } from 'vitest';
import { readCaller } from '../numbers/trunk-numbers.ts';
import { canBeCalledBack } from './callback.ts';

const account = { planCountries: ['GB'], planBlockedPrefixes: ['4489'] };

test('a caller is only called back at a number that the account may call', () => {
  expect(canBeCalledBack({ address: '+442079460123', addressType: 'E164' }, account)).toBe(true);
  for (const address of ['+33123456789', '+881612345678', '+448912345678', '204', null]) {
    expect(canBeCalledBack({ address, addressType: 'E164' }, account), String(address)).toBe(false);
  }
});

test('a WhatsApp customer is called back at a number that the account may call, or at a user ID', () => {
  const can = (address: string | null) => canBeCalledBack({ address, addressType: 'WHATSAPP_USER' }, account);
  expect(['+442079460123', 'US.1349', 'GB.ENT.1349'].filter(can)).toHaveLength(3);
  expect(['+33123456789', '+881612345678', '204', 'sip:ada@example.com', null].filter(can)).toEqual([]);
});

test('a SIP URI that a caller wrote into From is never called back', () => {
  for (const user of [
    'sip:ada@example.com',
    'sip%3A%2B442079460123%40gw.example.com',
    'sips:204@pbx',
    'bob',
  ]) {
    const caller = readCaller({ withheld: false, assertedUser: null, fromUser: user }, null);
    expect(caller.addressType).toBe('SIP_URI');
    expect(canBeCalledBack(caller, { planCountries: [], planBlockedPrefixes: [] }), user).toBe(false);
  }
});
