import { expect, test } from 'vitest';
import { importBodyOf, noOptions, readSample, withColumn } from './import-options.ts';

const file = { name: 'rates.csv', text: 'Code,Zone,Price\n44,UK,0.1' };
const none = { effectiveFrom: null, initialSeconds: null, incrementSeconds: null, connectionFee: null };
const reading = { columns: { prefix: 'Code', rate: 'Price', destination: 'Zone', ...none } };

test('what nobody decided is left to the service', () => {
  expect(importBodyOf(file, noOptions)).toEqual({ csv: file.text, file_name: 'rates.csv', mode: 'FULL' });
});

test('decisions are sent in the names of the API', () => {
  const options = {
    ...noOptions,
    columns: { prefix: 'Code', effectiveFrom: 'Zone' },
    dateFormat: 'MM/DD/YYYY' as const,
    initialSeconds: 60,
    incrementSeconds: 1,
    mode: 'CHANGES' as const,
  };
  expect(importBodyOf(file, options)).toEqual({
    csv: file.text,
    file_name: 'rates.csv',
    mode: 'CHANGES',
    columns: { prefix: 'Code', effective_from: 'Zone' },
    date_format: 'MM/DD/YYYY',
    default_initial_seconds: 60,
    default_increment_seconds: 1,
  });
});

test('a heading that is chosen for one field is taken from the other', () => {
  expect(withColumn(reading, noOptions, 'connectionFee', 'Price').columns).toEqual({
    prefix: 'Code',
    destination: 'Zone',
    connectionFee: 'Price',
  });
});

test('a column that is left out stays left out when another is chosen', () => {
  const without = withColumn(reading, noOptions, 'destination', null);
  expect(without.columns).toEqual({ prefix: 'Code', rate: 'Price', destination: null });
  const read = { columns: { ...reading.columns, destination: null } };
  const { columns } = importBodyOf(file, withColumn(read, without, 'rate', 'Zone'));
  expect(columns).toEqual({ prefix: 'Code', rate: 'Zone', destination: null });
});

test.each([
  ['03/04/2026', 'DD/MM/YYYY', '3 April 2026'],
  ['03/04/2026', 'MM/DD/YYYY', '4 March 2026'],
  ['3.4.26', 'DD/MM/YYYY', '3 April 2026'],
  ['2026-04-03', 'DD/MM/YYYY', '3 April 2026'],
  ['2026-04-03 00:00', 'MM/DD/YYYY', '3 April 2026'],
  ['31/01/2026', 'MM/DD/YYYY', null],
  ['soon', 'DD/MM/YYYY', null],
] as const)('the date %s in the order %s is %s', (sample, format, text) => {
  expect(readSample(sample, format)).toBe(text);
});
