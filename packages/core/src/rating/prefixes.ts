/** Numbers and the prefixes that price them. Pure. */

/** E.164 has at most 15 digits (ITU-T E.164). */
export const MAX_DIGITS = 15;
const NUMBER = /^[\d+\s().-]*$/;

/** The digits of a search for a number; null: the text is a word. */
export function digitsSearched(text: string): string | null {
  const digits = text.replaceAll(/\D/g, '');
  return NUMBER.test(text) && digits !== '' ? digits : null;
}

/** Every prefix of a number, the longest first. */
export const prefixesOf = (digits: string): string[] =>
  Array.from({ length: Math.min(digits.length, MAX_DIGITS) }, (_, index) =>
    digits.slice(0, Math.min(digits.length, MAX_DIGITS) - index),
  );

/** The range of the prefixes that begin with `digits`: digits sort alike in every collation. */
export const prefixRange = (digits: string): { from: string; to: string } => ({
  from: digits,
  to: digits + '9'.repeat(MAX_DIGITS),
});
