import { expect, test } from 'vitest';
import { z } from 'zod';
import type { EndpointDefinition } from '../endpoint.ts';
import { fieldError } from '../fields/field-error.ts';
import { invoiceEndpoints } from './invoices.ts';
import { pricePlanEndpoints } from './price-plans.ts';
import { rateDeckEndpoints } from './rate-decks.ts';
import { rateEntryEndpoints } from './rate-entries.ts';
import { rateExportEndpoints } from './rate-export.ts';
import { importRateDeckBody, rateImportEndpoints } from './rate-imports.ts';
import { tenantBillingEndpoints } from './tenant-billing.ts';

const endpoints = {
  ...pricePlanEndpoints,
  ...rateDeckEndpoints,
  ...rateEntryEndpoints,
  ...rateExportEndpoints,
  ...rateImportEndpoints,
  ...tenantBillingEndpoints,
  ...invoiceEndpoints,
} satisfies Record<string, EndpointDefinition>;
type Name = keyof typeof endpoints;

/** The field for which the example with these changes is rejected; null if it is accepted. */
function rejectedField(name: Name, change: Record<string, unknown>, part: 'body' | 'query') {
  const { body, query, example }: EndpointDefinition = endpoints[name];
  const schema = (part === 'body' ? body : query) ?? z.never();
  const given = part === 'body' ? { ...(example.body as object), ...change } : change;
  const parsed = schema.safeParse(given, { reportInput: true });
  return parsed.success ? null : fieldError(parsed.error).details?.field;
}
const chars = (count: number) => 'x'.repeat(count);

/** Values at the limits of docs/requirements.md#limits, and one past them. */
const bounds: [Name, 'body' | 'query', string, edges: unknown[], past: unknown[]][] = [
  ['createPricePlan', 'body', 'name', [chars(128)], [chars(129), ' ']],
  ['createPricePlan', 'body', 'description', [chars(500), null], [chars(501)]],
  ['createPricePlan', 'body', 'currency', ['usd', 'EUR', null], ['QQQ', 840]],
  ['putTenantPricePlan', 'body', 'price_plan_id', [1, null], [0, -1, '5', 1.5]],
  ['createRateDeck', 'body', 'name', [chars(128)], [chars(129), null]],
  ['createRateDeck', 'body', 'description', [chars(500)], [chars(501)]],
  ['createRateDeck', 'body', 'kind', ['buy', 'SELL', null], ['LEASE']],
  [
    'createRateEntry',
    'body',
    'prefix',
    ['1', '+123456789012345', 4420],
    ['1234567890123456', '+', '4a', '', -1],
  ],
  ['createRateEntry', 'body', 'rate', [0, '0', '0.000001'], [-0.01, 'free', null, '0.0000001']],
  ['createRateEntry', 'body', 'initial_seconds', [1, 3600], [0, 3601]],
  ['createRateEntry', 'body', 'increment_seconds', [1, 3600], [0, 3601]],
  ['createRateEntry', 'body', 'connection_fee', [0, '1.5', null], [-1, 'x']],
  ['listRateEntries', 'query', 'limit', ['1', '500'], ['0', '501', 'x']],
  ['listRateEntries', 'query', 'page', ['1'], ['0']],
  ['listRateEntries', 'query', 'sort', ['prefix', '-RATE'], ['-prefix']],
  ['listRateEntries', 'query', 'status', ['ended'], ['GONE']],
  ['listRateEntries', 'query', 'min_rate', ['0.01', ' '], ['cheap']],
  ['listRateEntries', 'query', 'max_rate', ['2'], ['NaN']],
  ['exportRateDeck', 'query', 'format', ['csv', 'XLSX'], ['pdf']],
  ['importRateDeck', 'body', 'csv', ['Prefix,Rate'], ['', null, 5]],
  ['importRateDeck', 'body', 'date_format', ['dd/mm/yyyy', 'YYYY-MM-DD'], ['MM-DD-YYYY']],
  ['importRateDeck', 'body', 'default_initial_seconds', [1, 3600], [0, 3601]],
  ['importRateDeck', 'body', 'default_increment_seconds', [1, 3600], [0, 3601]],
  ['importRateDeck', 'body', 'mode', ['full', 'CHANGES'], ['PART']],
  ['putBillingAccount', 'body', 'invoice_due_days', [0, 120, null], [-1, 121, 1.5]],
  ['putBillingAccount', 'body', 'mode', ['postpaid'], [null, 'FREE']],
  ['putBillingAccount', 'body', 'currency', ['eur', null], ['QQQ']],
  ['listInvoices', 'query', 'limit', ['1', '200'], ['0', '201']],
  ['listBillingInvoices', 'query', 'limit', ['1', '200'], ['0', '201']],
  ['createTopUp', 'body', 'amount', [0.01, '0.01', '0.010001'], [0.009, 0, -1, 'x', null, '0.0100001']],
  ['createTopUp', 'body', 'reference', [chars(191), null], [chars(192)]],
  ['createAdjustment', 'body', 'amount', [-0.01, '1', '-0.000001'], [0, '0.00', '-0', '1.0000001', null]],
  ['createAdjustment', 'body', 'reason', [chars(255)], [chars(256), ' ', null]],
  ['listTransactions', 'query', 'limit', ['1', '200'], ['0', '201']],
  ['listTransactions', 'query', 'page', ['1'], ['0', 'x']],
];

test.each(bounds)(
  '%s: the limits of %s %s are inclusive, and an error names the field',
  (name, part, field, edges, past) => {
    for (const value of edges)
      expect(rejectedField(name, { [field]: value }, part), String(value)).toBeNull();
    for (const value of past)
      expect(rejectedField(name, { [field]: value }, part), String(value)).toBe(field);
  },
);

test('only POSTPAID accounts have a credit limit', () => {
  const rejected = (change: Record<string, unknown>) => rejectedField('putBillingAccount', change, 'body');
  expect(rejected({ mode: 'prepaid', credit_limit: 5 })).toBe('credit_limit');
  expect(rejected({ mode: 'postpaid', credit_limit: '5.5' })).toBeNull();
  expect(rejected({ mode: 'postpaid', credit_limit: -1 })).toBe('credit_limit');
  expect(rejected({ mode: 'postpaid', credit_limit: null })).toBeNull();
});

test('an import is a dry run only for the JSON value true', () => {
  const csv = 'Prefix,Rate\n1,2';
  for (const dry_run of [false, 'true', 1, null, undefined])
    expect(importRateDeckBody.parse({ csv, dry_run })).toHaveProperty('dryRun', false);
  expect(importRateDeckBody.parse({ csv, dry_run: true })).toHaveProperty('dryRun', true);
});
