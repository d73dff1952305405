/** Commands about call filters. */
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { createCallFilter, deleteCallFilter, listCallFilters } from '@clarion/core/trunk/call-filters';
import type { Add } from './options.ts';
import { called, matching, prefix, ruleId, trunkId } from './prefix-rule-options.ts';

interface CreateOptions {
  trunkId: number;
  prefix?: string;
  caller?: string;
  called?: string;
  action: 'REDIRECT' | 'REJECT';
}

const action = (text: string) => {
  const given = text.toUpperCase();
  if (given !== 'REDIRECT' && given !== 'REJECT')
    throw new InvalidArgumentError('must be redirect or reject.');
  return given;
};

export function addFilterCommands(program: Command, add: Add): void {
  const filter = program
    .command('filter')
    .description('Call filters: reject or redirect calls with a FILTER tech prefix.');
  add<CreateOptions>(
    filter,
    'create',
    'create a filter of a trunk; the most specific one decides on a call',
    [
      trunkId().makeOptionMandatory(),
      prefix(),
      called(),
      new Option('--caller <digits>', "first digits of the caller's number; default: any caller").argParser(
        matching(/^\d{1,15}$/, '1 to 15 digits'),
      ),
      new Option('--action <action>', 'redirect: back to the carrier with 302; reject: 603')
        .argParser(action)
        .makeOptionMandatory(),
    ],
    (ctx, options) =>
      createCallFilter(ctx, {
        trunkId: options.trunkId,
        prefix: options.prefix ?? null,
        caller: options.caller ?? null,
        called: options.called ?? null,
        action: options.action,
      }),
  );
  add<{ trunkId?: number }>(
    filter,
    'list',
    'list the filters of a trunk, or all',
    [trunkId()],
    (ctx, options) => listCallFilters(ctx, options.trunkId ?? null),
  );
  add<{ id: number }>(filter, 'delete', 'delete a filter', [ruleId()], async (ctx, { id }) => {
    await deleteCallFilter(ctx, id);
    return { deleted: id };
  });
}
