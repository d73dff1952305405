import { invoiceLineKinds } from '@clarion/protocol/v1/price/invoices';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { millionthsOf } from '../rating/millionths.ts';
import { invoiceOf } from './invoice.ts';
import type { InvoicedGroup } from './invoice.ts';

const group = (
  kind: InvoicedGroup['kind'],
  amount: string,
  direction: InvoicedGroup['direction'] = null,
): InvoicedGroup => ({ kind, direction, quantity: '1', amount: millionthsOf(amount) });

test('lines are in a fixed order and have their exact amounts; only the total is rounded', () => {
  const groups = [
    group('ADJUSTMENT', '-1.5'),
    group('SEAT', '9.333333'),
    group('CALL', '0.000001', 'INBOUND'),
    group('CALL', '2.1', 'OUTBOUND'),
  ];
  const invoice = invoiceOf(groups, 'USD');
  expect(invoice?.lines.map(({ description, amount }) => [description, amount])).toEqual([
    ['Outbound calls', '2.1'],
    ['Inbound calls', '0.000001'],
    ['Agents', '9.333333'],
    ['Adjustments', '-1.5'],
  ]);
  expect(invoice).toMatchObject({ total: millionthsOf('9.93'), rounding: millionthsOf('0.003334') });
});

test.each([
  ['of nothing', [], 'USD'],
  ['that rounds to zero', [group('CALL', '0.004999', 'OUTBOUND')], 'USD'],
  ['that rounds to zero in a currency without decimals', [group('CALL', '0.499999', 'OUTBOUND')], 'JPY'],
  ['that adjustments have settled', [group('SEAT', '5'), group('ADJUSTMENT', '-5')], 'USD'],
  ['that is a credit', [group('SEAT', '5'), group('ADJUSTMENT', '-7')], 'USD'],
])('there is no invoice %s', (_, groups, currency) => {
  expect(invoiceOf(groups, currency)).toBeNull();
});

test('the payment of the total and the rounding settle the lines exactly', () => {
  const groups = fc.array(
    fc.record({
      kind: fc.constantFrom(...invoiceLineKinds),
      direction: fc.constantFrom('INBOUND' as const, 'OUTBOUND' as const, null),
      quantity: fc.constant('1'),
      amount: fc.bigInt({ min: -(10n ** 9n), max: 10n ** 10n }),
    }),
    { maxLength: 9 },
  );
  fc.assert(
    fc.property(groups, fc.constantFrom('USD', 'JPY', 'KWD'), (all, currency) => {
      const invoice = invoiceOf(all, currency);
      if (!invoice) return;
      const lines = invoice.lines.reduce((sum, { amount }) => sum + millionthsOf(amount), 0n);
      expect(-lines + invoice.rounding + invoice.total).toBe(0n);
      expect(invoice.lines).toHaveLength(all.length);
    }),
  );
});
