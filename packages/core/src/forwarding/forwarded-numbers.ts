/** The numbers of a forwarded call in the form of the trunk to which it goes. Pure. */
import type { NumberRules, TechPrefixes, TrunkQuirks } from '@clarion/protocol';
import { callerOnTrunk, calledOnTrunk } from '../numbers/trunk-numbers.ts';

/** RFC 3323 section 4.1.1.3. */
const ANONYMOUS = 'anonymous';
const E164 = /^\+\d+$/;

export interface ForwardedNumbers {
  called: string;
  caller: string;
  /** The caller has withheld the number, so no header may contain it. */
  withheld: boolean;
}

export function forwardedNumbers(
  {
    called,
    number,
    caller,
  }: {
    called: string;
    /** The same in E.164; null: a short code. */
    number: string | null;
    /** Null: withheld. */
    caller: string | null;
  },
  trunk: { techPrefixes: TechPrefixes | null; numberRules: NumberRules | null; quirks: TrunkQuirks },
): ForwardedNumbers {
  return {
    called: number === null ? `${trunk.techPrefixes?.outbound ?? ''}${called}` : calledOnTrunk(number, trunk),
    caller: caller === null ? ANONYMOUS : callerForm(caller, trunk.quirks),
    withheld: caller === null,
  };
}

function callerForm(caller: string, quirks: TrunkQuirks): string {
  if (E164.test(caller)) return callerOnTrunk(caller, quirks);
  // Ours is the host of From.
  return caller.replace(/^sips?:/i, '').split('@')[0] ?? '';
}
