import { expect, test } from 'vitest';
import { RequestProblem } from '../request.ts';
import { trunkErrors } from './trunk-errors.ts';

const refusal = (field: string, message: string) =>
  new RequestProblem(message, { status: 400, code: 'invalid_request', details: { field } });
const sources = ['198.41.0.4', '10.0.0.1'];
const field = 'inbound_source_cidrs[1]';

test('an invalid source address is named, because the form shows all of them as one text', () => {
  expect(trunkErrors(refusal(field, `${field} must be an IP address.`), sources)).toEqual({
    inbound_source_cidrs: '10.0.0.1 must be an IP address.',
  });
  expect(trunkErrors(refusal(field, `${field}: 10.0.0.1 is not public.`), sources)).toEqual({
    inbound_source_cidrs: '10.0.0.1 is not public.',
  });
});

test.each([
  ['destinations[2].host', 'destinations[2].host'],
  ['quirks.from_domain', 'quirks.from_domain'],
  ['tech_prefixes.inbound', 'tech_prefixes.inbound'],
  ['codecs[0]', 'codecs'],
  ['tech_prefixes', ''],
])('an error at %s is shown at %j', (named, shown) => {
  expect(Object.keys(trunkErrors(refusal(named, `${named} is wrong.`), sources))).toEqual([shown]);
});
