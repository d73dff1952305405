/** Commands about what an account may do. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { setPlan } from '@clarion/core/consumer/set-plan';
import type { PlanChange } from '@clarion/core/consumer/set-plan';
import { slug, wholeNumber } from './options.ts';
import type { Add } from './options.ts';

const NONE = 'none';

type Limits = Pick<
  PlanChange,
  'callsAtOnce' | 'outboundPerMinute' | 'audioAssets' | 'audioMegabytes' | 'trunks'
>;

export function addPlanCommands(program: Command, add: Add): void {
  add<
    Limits & {
      slug: string;
      countries?: string;
      maxRate?: string;
      blockedPrefixes?: string;
      pricePlan?: number | typeof NONE;
    }
  >(
    program.command('plan').description('The limits of an account.'),
    'set',
    'change limits and countries; options that are not given stay as they are',
    [
      slug,
      new Option('--calls-at-once <n>', 'maximum concurrent calls, inbound and outbound').argParser(
        wholeNumber,
      ),
      new Option('--outbound-per-minute <n>', 'maximum outbound calls per minute').argParser(wholeNumber),
      new Option('--countries <list>', 'ISO country codes separated by commas, or all'),
      new Option('--blocked-prefixes <list>', 'digits that no called number begins with, or none'),
      new Option('--max-rate <amount>', 'maximum cost of an outbound call per minute, or none'),
      new Option(
        '--price-plan <id>',
        'the price plan that the account pays, in the currency of its billing account, or none',
      ).argParser(idOrNone),
      new Option('--audio-assets <n>', 'maximum audio assets per tenant').argParser(wholeNumber),
      new Option(
        '--audio-megabytes <n>',
        'maximum audio per tenant in MB, uploads and decoded files',
      ).argParser(wholeNumber),
      new Option('--trunks <n>', 'maximum trunks of its own, whatever their status').argParser(wholeNumber),
    ],
    (ctx, { slug: chosen, countries, maxRate, blockedPrefixes, pricePlan, ...limits }) =>
      setPlan(ctx, chosen, {
        ...limits,
        ...(countries !== undefined && { countries: countries === 'all' ? [] : countries.split(',') }),
        ...(maxRate !== undefined && { maxRate: maxRate === NONE ? null : maxRate }),
        ...(blockedPrefixes !== undefined && {
          blockedPrefixes: blockedPrefixes === NONE ? [] : blockedPrefixes.split(','),
        }),
        ...(pricePlan !== undefined && { pricePlanId: pricePlan === NONE ? null : pricePlan }),
      }),
  );
}

/** Commander would turn null into an empty string. */
function idOrNone(text: string): number | typeof NONE {
  if (text === NONE) return NONE;
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError(`must be an ID, or ${NONE}.`);
  return Number(text);
}
