import { expect, test } from 'vitest';
import { dialTerms, preferAgentLaw } from './dial-terms.ts';

test.each([
  [['PCMA', 'PCMU'], 'PCMU', ['PCMU', 'PCMA']],
  [['PCMA', 'PCMU'], undefined, ['PCMA', 'PCMU']],
  [['PCMA'], 'PCMU', ['PCMA']],
  [['G722', 'PCMA', 'PCMU'], 'PCMU', ['G722', 'PCMU', 'PCMA']],
  [['PCMA', 'G722', 'PCMU'], 'PCMU', ['PCMU', 'G722', 'PCMA']],
  [['PCMA', 'PCMA'], 'PCMA', ['PCMA']],
] as const)('codecs %j are offered to an agent with %s as %j', (allowed, law, offered) => {
  expect(preferAgentLaw(allowed, law)).toEqual(offered);
});

test.each([
  [true, 'TLS', 'required'],
  [false, 'TLS', 'allowed'],
  [false, 'TCP', 'never'],
  [false, 'UDP', 'never'],
] as const)('srtp %s over %s is %s', (srtp, transport, policy) => {
  expect(dialTerms({ codecs: ['PCMA'], srtp, transport }, undefined).srtp).toBe(policy);
});
