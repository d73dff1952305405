/** Commands about carrier templates. */
import { Option } from 'commander';
import type { Command } from 'commander';
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  setTemplate,
} from '@clarion/core/trunk/carrier-templates';
import { presentTemplate } from '@clarion/core/trunk/present';
import { sourceWarning } from '@clarion/core/trunk/source-warning';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { invalidField } from '@clarion/protocol';
import { carrierOptions, rulesOf, settingsOfOptions } from './carrier-options.ts';
import type { CarrierOptions } from './carrier-options.ts';
import { withoutUndefined, wholeNumber } from './options.ts';
import type { Add } from './options.ts';

interface TemplateOptions extends CarrierOptions {
  notes?: string;
}

const DEFAULTS = { port: 5060, transport: 'UDP' } as const;

const notes = new Option('--notes <text>', 'what an account has to know or to ask the carrier');

export function addTemplateCommands(program: Command, add: Add): void {
  const template = program
    .command('template')
    .description('Carrier templates, from which trunks are created.');
  add<TemplateOptions & { name: string }>(
    template,
    'create',
    'create a template that every account can use',
    [new Option('--name <name>', 'name, unique').makeOptionMandatory(), ...carrierOptions, notes],
    async (ctx, { name, notes: text, ...options }) => {
      const given = settingsOfOptions(options);
      if (given.host === undefined) throw invalidField('host', 'host is required.');
      const { port = DEFAULTS.port } = given;
      const created = await createTemplate(ctx, {
        name,
        notes: text ?? null,
        host: given.host,
        port,
        transport: given.transport ?? DEFAULTS.transport,
        inboundSourceCidrs: given.inboundSourceCidrs ?? [],
        numberRules: rulesOf(given),
        codecs: given.codecs ?? [],
        destinations: given.destinations?.map((one) => ({ ...one, port: one.port ?? port })) ?? [],
        register: given.register ?? false,
        srtp: given.srtp ?? false,
        quirks: given.quirks ?? {},
      });
      return presentTemplate(created);
    },
  );
  const id = new Option('--id <id>', 'ID of the template').argParser(wholeNumber).makeOptionMandatory();
  add<TemplateOptions & { id: number; name?: string }>(
    template,
    'set',
    'change a template; its addresses are copied to the trunks that follow it',
    [id, new Option('--name <name>', 'name, unique'), ...carrierOptions, notes],
    async (ctx, { id: chosen, name, notes: text, ...options }) =>
      changed(ctx, chosen, { name, notes: text }, options),
  );
  add<{ id: number }>(
    template,
    'delete',
    'delete a template that no trunk follows',
    [id],
    async (ctx, options) => {
      await deleteTemplate(ctx, options.id);
      return { deleted: options.id };
    },
  );
  add(template, 'list', 'list all templates', [], (ctx) => listTemplates(ctx));
}

async function changed(
  ctx: OperatorCtx,
  id: number,
  texts: { name: string | undefined; notes: string | undefined },
  options: CarrierOptions,
) {
  const { techPrefixes: _, maxCalls: __, callsPerSecond: ___, ...settings } = settingsOfOptions(options);
  const { template, followers } = await setTemplate(ctx, id, withoutUndefined({ ...texts, ...settings }));
  const warnings = await Promise.all(followers.map((trunk) => sourceWarning(ctx, trunk)));
  return {
    ...presentTemplate(template),
    followers: followers.map((trunk, index) => ({
      id: trunk.id,
      name: trunk.name,
      status: trunk.status,
      warning: warnings[index] ?? null,
    })),
  };
}
