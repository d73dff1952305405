/** `trunk ping`: the check-up of a trunk as a table. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { testAnyTrunk } from '@clarion/core/trunk/test-trunk';
import type { TrunkTest } from '@clarion/core/trunk/test-trunk';
import { wholeNumber } from './options.ts';
import type { Add } from './options.ts';

export function addTrunkPing(trunk: Command, add: Add): void {
  add<{ id: number }, TrunkTest>(
    trunk,
    'ping',
    'send OPTIONS to the carrier of a trunk and check the trunk',
    [new Option('--id <id>', 'ID of the trunk').argParser(wholeNumber).makeOptionMandatory()],
    (ctx, { id }) => testAnyTrunk(ctx, id),
    readable,
  );
}

const words = { OK: 'ok', WARNING: 'warning', FAILED: 'failed', SKIPPED: '-' } as const;

/** One line per check, with what to do below those that found a problem. */
export function readable({ ping, checkup }: TrunkTest): string {
  const width = Math.max(...checkup.map(({ check }) => check.length));
  const lines = checkup.flatMap(({ check, result, text, fix, docs }) => [
    `${labelOf(check).padEnd(width)}  ${words[result].padEnd('warning'.length)}  ${text}`,
    ...(fix === null ? [] : [`${' '.repeat(width + 'warning'.length + 4)}${fix} ${docs ?? ''}`.trimEnd()]),
  ]);
  const { up, target, status, rttMs } = ping;
  const response = status === null ? 'no response' : `${status}, ${rttMs ?? 0} ms`;
  return [`${target} is ${up ? 'up' : 'down'} (${response})`, '', ...lines].join('\n');
}

/** `OUR_ADDRESS` → `our address`; abbreviations stay in capitals. */
const labelOf = (check: string): string =>
  check === 'DNS' || check === 'OPTIONS' ? check : check.toLowerCase().replaceAll('_', ' ');
