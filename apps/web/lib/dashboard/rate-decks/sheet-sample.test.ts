import { expect, test } from 'vitest';
import { samplesOf } from './sheet-sample.ts';

test('the first values of each column are shown', () => {
  const csv =
    '\uFEFFCode;Zone;Price\r\n4420;"London; inner";0,012\r\n\r\n447;;0,025\r\n33;France;0,01\r\n1;US;0,02';
  expect(samplesOf(csv, ['Code', 'Zone', 'Price'])).toEqual([
    ['4420', '447', '33'],
    ['London; inner', 'France', 'US'],
    ['0,012', '0,025', '0,01'],
  ]);
});

test('nothing is shown if the lines do not fit the headings that the service found', () => {
  expect(samplesOf('Rates of March\nCode,Price\n44,0.1', ['Code', 'Price'])).toEqual([[], []]);
  expect(samplesOf('', ['Code'])).toEqual([[]]);
});
