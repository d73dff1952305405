import type { SipTrunk } from '@clarion/db';
import { techPrefixes } from '@clarion/protocol';

/**
 * Why no call reaches a rule of the operator; null: calls do. The owner of the trunk may change its prefixes at any time, so this is no
 * error.
 *
 * @param rule `prefix` empty: any
 */
export function prefixWarning(
  purpose: 'FORWARD' | 'FILTER',
  { prefix, trunk }: { prefix: string; trunk: Pick<SipTrunk, 'techPrefixes'> },
): string | null {
  const { inbound = [] } = techPrefixes.nullable().parse(trunk.techPrefixes) ?? {};
  const known = inbound.filter((one) => one.purpose === purpose).map((one) => one.prefix);
  if (known.length === 0) return `The trunk has no tech prefix with the purpose ${purpose}.`;
  if (prefix === '' || known.includes(prefix)) return null;
  return `${prefix} is no tech prefix of the trunk with the purpose ${purpose}; it has ${known.join(', ')}.`;
}
