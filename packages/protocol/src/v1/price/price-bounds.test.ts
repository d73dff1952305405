import { expect, test } from 'vitest';
import { z } from 'zod';
import type { EndpointDefinition } from '../endpoint.ts';
import { fieldError } from '../fields/field-error.ts';
import { pricePlanEndpoints } from './price-plans.ts';
import { rateDeckEndpoints } from './rate-decks.ts';
import { rateEntryEndpoints } from './rate-entries.ts';
import { rateExportEndpoints } from './rate-export.ts';
import { importRateDeckBody, rateImportEndpoints } from './rate-imports.ts';

const endpoints = {
  ...pricePlanEndpoints,
  ...rateDeckEndpoints,
  ...rateEntryEndpoints,
  ...rateExportEndpoints,
  ...rateImportEndpoints,
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

test('an import is a dry run only for the JSON value true', () => {
  const csv = 'Prefix,Rate\n1,2';
  for (const dry_run of [false, 'true', 1, null, undefined])
    expect(importRateDeckBody.parse({ csv, dry_run })).toHaveProperty('dryRun', false);
  expect(importRateDeckBody.parse({ csv, dry_run: true })).toHaveProperty('dryRun', true);
});
