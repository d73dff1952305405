/** Commands about forwarding rules and the calls that they forward. */
import { Option } from 'commander';
import type { Command } from 'commander';
import { listForwardedCalls } from '@clarion/core/forwarding/forwarded-calls';
import {
  createForwardingRule,
  deleteForwardingRule,
  listForwardingRules,
} from '@clarion/core/trunk/forwarding-rules';
import { wholeNumber } from './options.ts';
import type { Add } from './options.ts';
import { called, matching, prefix, ruleId, trunkId } from './prefix-rule-options.ts';

interface CreateOptions {
  trunkId: number;
  prefix?: string;
  called?: string;
  toTrunkId: number;
  toNumber?: string;
}

const CALLS_SHOWN = 50;

export function addForwardCommands(program: Command, add: Add): void {
  const forward = program
    .command('forward')
    .description('Forwarding rules: send calls with a FORWARD tech prefix to another trunk.');
  add<CreateOptions>(
    forward,
    'create',
    'create a forwarding rule of a trunk; the most specific one decides on a call',
    [
      trunkId().makeOptionMandatory(),
      prefix(),
      called(),
      new Option('--to-trunk-id <id>', 'ID of the trunk to which the calls go')
        .argParser(wholeNumber)
        .makeOptionMandatory(),
      new Option('--to-number <number>', 'number to dial, in E.164; default: the called number').argParser(
        matching(/^\+[1-9]\d{7,14}$/, 'a number in E.164, such as +442079460001'),
      ),
    ],
    (ctx, options) =>
      createForwardingRule(ctx, {
        trunkId: options.trunkId,
        prefix: options.prefix ?? null,
        called: options.called ?? null,
        toTrunkId: options.toTrunkId,
        toNumber: options.toNumber ?? null,
      }),
  );
  add<{ trunkId?: number }>(
    forward,
    'list',
    'list the forwarding rules of a trunk, or all',
    [trunkId()],
    (ctx, options) => listForwardingRules(ctx, options.trunkId ?? null),
  );
  add<{ id: number }>(
    forward,
    'delete',
    'delete a forwarding rule; calls in progress continue',
    [ruleId()],
    async (ctx, { id }) => {
      await deleteForwardingRule(ctx, id);
      return { deleted: id };
    },
  );
  add<{ trunkId?: number; limit: number }>(
    forward,
    'calls',
    'list the latest forwarded calls, from or to a trunk if given',
    [trunkId(), new Option('--limit <n>', 'number of calls').argParser(wholeNumber).default(CALLS_SHOWN)],
    async (ctx, options) => {
      const calls = await listForwardedCalls(ctx, { trunkId: options.trunkId ?? null, limit: options.limit });
      return calls.map((call) => ({
        id: call.id,
        trunkId: call.trunkId,
        toTrunkId: call.toTrunkId,
        caller: call.caller,
        called: call.called,
        state: call.state,
        startedAt: call.startedAt.toISOString(),
        answeredAt: call.answeredAt?.toISOString() ?? null,
        endedAt: call.endedAt?.toISOString() ?? null,
        endedBy: call.endedBy,
        sipStatus: call.sipStatus,
        reason: call.reason,
      }));
    },
  );
}
