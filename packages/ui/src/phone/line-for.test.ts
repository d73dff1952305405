import { expect, test } from 'vitest';
import { lineFor } from './line-for.ts';
import type { PhoneLine } from './model.ts';
import { inboundCall, whatsAppCall } from './story-models.ts';

const phone: PhoneLine = {
  ref: 'main',
  name: 'Sales',
  address: '+14155550100',
  channel: 'SIP',
  personal: false,
};
const own: PhoneLine = { ...phone, ref: 'ada', name: 'Ada' };
const whatsApp: PhoneLine = { ...phone, ref: 'wa', channel: 'WHATSAPP' };
const lines = [phone, own, whatsApp];

test('a customer is called again on the line of the call', () => {
  expect(lineFor({ ...inboundCall, line: 'Ada' }, lines)).toBe(own);
});

test('of two lines with the same name, the one of the same channel', () => {
  expect(lineFor({ ...inboundCall, line: 'Sales' }, lines)).toBe(phone);
  expect(lineFor({ ...inboundCall, channel: 'WHATSAPP', line: 'Sales' }, lines)).toBe(whatsApp);
});

test('a line that is gone is replaced by one of its channel, and if there is none, by the first', () => {
  expect(lineFor({ ...inboundCall, channel: 'WHATSAPP', line: 'Gone' }, lines)).toBe(whatsApp);
  expect(lineFor({ ...inboundCall, channel: 'WHATSAPP', line: 'Gone' }, [phone, own])).toBe(phone);
});

test('a call of an unknown channel is matched by the name of its line', () => {
  expect(lineFor({ ...inboundCall, channel: null, line: 'Ada' }, lines)).toBe(own);
});

test('a WhatsApp user ID is called on WhatsApp or not at all', () => {
  expect(lineFor(whatsAppCall, lines)).toBe(whatsApp);
  expect(lineFor(whatsAppCall, [phone, own])).toBeNull();
});

test('a withheld number cannot be called', () => {
  expect(lineFor({ ...inboundCall, customerAddress: null }, lines)).toBeNull();
});
