/**
 * The operator's rules for inbound calls that have a tech prefix of the purpose FORWARD or FILTER (docs/requirements.md#trunks): forwarding
 * rules and call filters. Pure.
 */

export interface PrefixRule {
  /** A tech prefix of the trunk; empty: any. */
  prefix: string;
  /** First characters of what follows the prefix, without `+`; empty: any. */
  called: string;
  /** First digits of the caller's number, without `+`; empty or absent: any caller, also one who withholds the number. */
  caller?: string;
}

export interface PrefixedCall {
  prefix: string;
  /** What follows the prefix, as the carrier sent it. */
  rest: string;
  /** E.164, or as the carrier sent it; null: withheld. */
  caller: string | null;
}

/** What may follow the prefix of a call that no line takes; it need not be a number in E.164. */
const REST = /^\+?[\d*#]{1,32}$/;

export const isDialable = (rest: string): boolean => REST.test(rest);

/** The most specific rule that applies: the longest `called` decides, then the longest `caller`, then whether it names the prefix. */
export function ruleFor<Rule extends PrefixRule>(
  rules: readonly Rule[],
  { prefix, rest, caller }: PrefixedCall,
): Rule | null {
  const [called, callerDigits] = [withoutPlus(rest), withoutPlus(caller ?? '')];
  const fitting = rules.filter(
    (rule) =>
      (rule.prefix === '' || rule.prefix === prefix) &&
      called.startsWith(rule.called) &&
      callerDigits.startsWith(rule.caller ?? ''),
  );
  const [first] = fitting.toSorted(
    (a, b) =>
      b.called.length - a.called.length ||
      (b.caller ?? '').length - (a.caller ?? '').length ||
      b.prefix.length - a.prefix.length,
  );
  return first ?? null;
}

const withoutPlus = (text: string): string => text.replace(/^\+/, '');
