/**
 * ivr_gather: plays a prompt and collects digits until `maxDigits` are entered, `finishOnKey` is pressed, or no key is pressed for
 * `timeoutSeconds`. With at least one digit the exit is `next`, otherwise `timeout` (or `next`, if `timeout` has no edge).
 */
import { integer, orDefault } from '../../v1/fields/fields.ts';
import { dataOf, defineNode, facts, lowercaseEnum, NEXT, nodeId } from '../node.ts';

export const TIMEOUT = 'timeout';
export const MAX_DIGITS = { min: 1, max: 32, default: 16 };
/** How long the caller may take for each key. */
export const GATHER_TIMEOUT_SECONDS = { min: 1, max: 60, default: 5 };
/** `none`: only the number of digits or the timeout ends the input. */
export const finishKeys = ['#', '*', 'none'] as const;

export const gather = defineNode({
  title: 'Gather digits',
  data: dataOf({
    audioFileId: nodeId,
    maxDigits: orDefault(integer(MAX_DIGITS.min, MAX_DIGITS.max), MAX_DIGITS.default),
    finishOnKey: orDefault(lowercaseEnum(finishKeys), '#'),
    timeoutSeconds: orDefault(
      integer(GATHER_TIMEOUT_SECONDS.min, GATHER_TIMEOUT_SECONDS.max),
      GATHER_TIMEOUT_SECONDS.default,
    ),
  }),
  facts: ({ audioFileId }) =>
    facts({
      exits: [NEXT, TIMEOUT],
      takesTime: true,
      audio: [{ id: audioFileId, field: 'audioFileId' }],
    }),
});
