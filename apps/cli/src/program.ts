/** The operator's commands. Each calls a verb. */
import { Command, Option } from 'commander';
import { dashboardUrl } from '@clarion/core/context';
import { listFailedFacts } from '@clarion/core/call-engine/failed-facts';
import { changeConsumer, listConsumers } from '@clarion/core/consumer/change-consumer';
import { createConsumer } from '@clarion/core/consumer/create-consumer';
import { createApiKey, createSigningKey, revokeApiKey } from '@clarion/core/consumer/keys';
import { listNodes } from '@clarion/core/consumer/list-nodes';
import { consumerOf, forConsumer } from '@clarion/core/consumer/operator';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { platformStatus } from '@clarion/core/consumer/platform-status';
import { addBillingCommands } from './billing-commands.ts';
import { addDeckCommands } from './deck-commands.ts';
import { addDemoCommands } from './demo-commands.ts';
import { addFilterCommands } from './filter-commands.ts';
import { addForwardCommands } from './forward-commands.ts';
import { slug, wholeNumber } from './options.ts';
import type { Add } from './options.ts';
import { addPlanCommands } from './plan-commands.ts';
import { addPricePlanCommands } from './price-plan-commands.ts';
import { print } from './print.ts';
import { addStaffCommands } from './staff-commands.ts';
import { addTemplateCommands } from './template-commands.ts';
import { activePlatformTrunks, addTrunkCommands } from './trunk-commands.ts';

export interface Surroundings {
  /** Runs a command's work against the database. */
  run<T>(work: (ctx: OperatorCtx) => Promise<T>): Promise<T>;
  write(text: string): void;
  readStdin(): Promise<string>;
}

const FAILED_FACTS_SHOWN = 50;

const onOff = (flags: string, description: string) => new Option(flags, description).choices(['on', 'off']);

export function createProgram({ run, write, readStdin }: Surroundings): Command {
  const program = new Command('clarion').description(
    'Manages the platform: accounts, keys, trunks and plans.',
  );
  program.exitOverride().configureOutput({ writeOut: write });
  const add: Add = (parent, name, description, options, work, readable) => {
    const command = parent.command(name).description(description).option('--json', 'print JSON');
    for (const option of options) command.addOption(option);
    command.action(async (given) => {
      const result = await run((ctx) => work(ctx, given));
      write(readable && given.json !== true ? `${readable(result)}\n` : print(result, given.json === true));
    });
  };
  addConsumerCommands(program, add);
  addKeyCommands(program, add);
  addStaffCommands(program, add, readStdin);
  addTrunkCommands(program, add, readStdin);
  addTemplateCommands(program, add);
  addForwardCommands(program, add);
  addFilterCommands(program, add);
  addDemoCommands(program, add);
  addPlanCommands(program, add);
  addPricePlanCommands(program, add);
  addBillingCommands(program, add);
  addDeckCommands(program, add);
  add<{ limit: number }>(
    program.command('failed-facts').description('Media reports that could not be processed.'),
    'list',
    'list the latest, with the error and what became of the call',
    [new Option('--limit <n>', 'number of facts').argParser(wholeNumber).default(FAILED_FACTS_SHOWN)],
    async (ctx, { limit }) =>
      (await listFailedFacts(ctx.db, limit)).map((row) => ({ ...row, id: String(row.id) })),
  );
  add(
    program.command('node').description('Running processes.'),
    'list',
    'list media, realtime and worker processes with their state, and the legs of media',
    [],
    (ctx) => listNodes(ctx),
  );
  add(program, 'status', 'count running processes, calls and pending work', [], (ctx) => platformStatus(ctx));
  return program;
}

function addConsumerCommands(program: Command, add: Add): void {
  const consumer = program.command('consumer').description('Accounts.');
  add<{ slug: string; name: string; webhookUrl?: string; lookupUrl?: string }>(
    consumer,
    'create',
    'create an account and print its first keys, once, and what its developers need to know',
    [
      slug,
      new Option('--name <name>', 'display name').makeOptionMandatory(),
      new Option('--webhook-url <url>', 'URL to which events are sent'),
      new Option('--lookup-url <url>', 'URL of the lookup hook'),
    ],
    async (ctx, { slug: chosen, name, webhookUrl, lookupUrl }) => ({
      ...(await createConsumer(ctx, {
        slug: chosen,
        name,
        webhookUrl: webhookUrl ?? null,
        lookupUrl: lookupUrl ?? null,
      })),
      addresses: { baseUrl: ctx.settings.baseUrl, dashboard: dashboardUrl(ctx.settings) },
      platformTrunks: await activePlatformTrunks(ctx),
    }),
  );
  add<{ slug: string; name?: string; selfService?: 'OFF' | 'APPROVAL' | 'AUTO'; recording?: 'on' | 'off' }>(
    consumer,
    'set',
    'change an account; options that are not given stay as they are',
    [
      slug,
      new Option('--name <name>', 'display name'),
      new Option('--self-service <mode>', 'whether the account may add trunks').choices([
        'OFF',
        'APPROVAL',
        'AUTO',
      ]),
      onOff('--recording <choice>', "the account's recording policy"),
    ],
    (ctx, { slug: chosen, name, selfService, recording }) =>
      changeConsumer(ctx, chosen, {
        ...(name !== undefined && { name }),
        ...(selfService && { selfService }),
        ...(recording && { recordingEnabled: recording === 'on' }),
      }),
  );
  add<{ slug: string }>(
    consumer,
    'suspend',
    'suspend an account: its keys and agents are rejected',
    [slug],
    (ctx, options) => changeConsumer(ctx, options.slug, { status: 'SUSPENDED' }),
  );
  add<{ slug: string }>(consumer, 'resume', 'lift a suspension', [slug], (ctx, options) =>
    changeConsumer(ctx, options.slug, { status: 'ACTIVE' }),
  );
  add(consumer, 'list', 'list all accounts', [], (ctx) => listConsumers(ctx));
}

function addKeyCommands(program: Command, add: Add): void {
  const key = program.command('key').description('API keys.');
  add<{ slug: string; name: string; expiresInDays?: number }>(
    key,
    'create',
    'create an API key and print it, once',
    [
      slug,
      new Option('--name <name>', 'purpose of the key').default('operator'),
      new Option('--expires-in-days <n>', 'default: never').argParser(wholeNumber),
    ],
    async (ctx, { slug: chosen, name, expiresInDays }) =>
      createApiKey(forConsumer(ctx, await consumerOf(ctx, chosen)), {
        name,
        expiresInDays: expiresInDays ?? null,
      }),
  );
  add<{ slug: string; id: number }>(
    key,
    'revoke',
    'revoke an API key',
    [slug, new Option('--id <id>', 'ID of the key').argParser(wholeNumber).makeOptionMandatory()],
    async (ctx, { slug: chosen, id }) => {
      await revokeApiKey(forConsumer(ctx, await consumerOf(ctx, chosen)), id);
      return { revoked: id };
    },
  );
  add<{ slug: string; kid?: string; name?: string }>(
    program.command('signing-key').description('Keys that sign agent tokens.'),
    'create',
    'create a signing key and print its secret, once',
    [slug, new Option('--kid <kid>', 'default: random'), new Option('--name <name>', 'purpose of the key')],
    async (ctx, { slug: chosen, kid, name }) =>
      createSigningKey(forConsumer(ctx, await consumerOf(ctx, chosen)), {
        kid: kid ?? null,
        name: name ?? null,
      }),
  );
}
