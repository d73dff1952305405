import { expect, test } from 'vitest';
import { destinationRefusal } from './destination.ts';

const refusal = (number: string, planCountries: string[] = [], planBlockedPrefixes: string[] = []) =>
  destinationRefusal(number, { planCountries, planBlockedPrefixes });

test('satellite and premium ranges are blocked under every plan', () => {
  for (const number of ['+881612345678', '+870773123456', '+979123456789', '+19005551234', '+449098790000']) {
    expect(refusal(number), number).toBe('destination_blocked');
    expect(refusal(number, ['US', 'GB']), number).toBe('destination_blocked');
  }
});

test('a number that begins with a blocked prefix is blocked, whether or not its country is allowed', () => {
  expect(refusal('+442079460123', [], ['4420'])).toBe('destination_blocked');
  expect(refusal('+442079460123', ['GB'], ['33', '4420'])).toBe('destination_blocked');
  expect(refusal('+442079460123', ['US'], ['4420'])).toBe('destination_blocked');
  expect(refusal('+442079460123', ['US'], ['442079460123'])).toBe('destination_blocked');
  expect(refusal('+442079460123', [], ['20', '4421', '4420794601234'])).toBeNull();
});

test('a plan with countries allows only those, even if they share a calling code with others', () => {
  expect(refusal('+442079460123', ['GB'])).toBeNull();
  expect(refusal('+442079460123', ['US'])).toBe('destination_not_allowed');
  expect(refusal('+12125550123', ['US'])).toBeNull();
  expect(refusal('+18765550123', ['US'])).toBe('destination_not_allowed'); // Jamaica
  expect(refusal('+18765550123', ['JM'])).toBeNull();
  expect(refusal('+77172123456', ['RU'])).toBe('destination_not_allowed'); // Kazakhstan
});

test('a plan without countries allows all of them', () => {
  for (const number of ['+442079460123', '+12125550123', '+77172123456']) expect(refusal(number)).toBeNull();
});
