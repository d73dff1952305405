/** Commands about the operator's price plans: what accounts pay. */
import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import {
  createOperatorPlan,
  deleteOperatorPlan,
  getOperatorPlan,
  listOperatorPlans,
  putOperatorPlan,
} from '@clarion/core/consumer/operator-price-plans';
import type { OperatorPlan } from '@clarion/core/consumer/operator-price-plans';
import { invalidField } from '@clarion/protocol';
import { pricePlanBody } from '@clarion/protocol/v1/price/price-plans';
import { parsed, wholeNumber } from './options.ts';
import type { Add } from './options.ts';

interface PlanOptions {
  name?: string;
  currency?: string;
  description?: string;
  item?: string[];
  itemsFile?: string;
}

const NONE = 'none';

const settings = [
  new Option('--currency <code>', 'ISO 4217; USD if a new plan names none'),
  new Option('--description <text>', 'what people should know, or none'),
  new Option('--item <json...>', 'an item as in the API; all of them together replace the items'),
  new Option('--items-file <path>', 'a JSON file with a list of all items').conflicts('item'),
];

export function addPricePlanCommands(program: Command, add: Add): void {
  const plan = program.command('price-plan').description('Your price plans: what accounts pay.');
  add(plan, 'list', 'list all price plans', [], (ctx) => listOperatorPlans(ctx));
  const id = new Option('--id <id>', 'ID of the price plan').argParser(wholeNumber).makeOptionMandatory();
  add<{ id: number }>(plan, 'show', 'show a price plan', [id], (ctx, { id: chosen }) =>
    getOperatorPlan(ctx, chosen),
  );
  add<PlanOptions>(
    plan,
    'create',
    'create a price plan; `plan set --price-plan` assigns it to an account',
    [new Option('--name <name>', 'name').makeOptionMandatory(), ...settings],
    async (ctx, options) => createOperatorPlan(ctx, parsed(pricePlanBody, await bodyOf(options))),
  );
  add<PlanOptions & { id: number }>(
    plan,
    'set',
    'change a price plan; options that are not given stay as they are',
    [id, new Option('--name <name>', 'name'), ...settings],
    async (ctx, { id: chosen, ...options }) => {
      const body = { ...sentOf(await getOperatorPlan(ctx, chosen)), ...(await bodyOf(options)) };
      return putOperatorPlan(ctx, chosen, parsed(pricePlanBody, body));
    },
  );
  add<{ id: number }>(
    plan,
    'delete',
    'delete a price plan that no account pays',
    [id],
    async (ctx, { id: chosen }) => {
      await deleteOperatorPlan(ctx, chosen);
      return { deleted: chosen };
    },
  );
}

/** The fields that were given, as in a request to the API. */
async function bodyOf({ name, currency, description, item, itemsFile }: PlanOptions) {
  const items =
    itemsFile === undefined
      ? item?.map((text, index) => jsonOf(`items[${index}]`, text))
      : jsonOf('items_file', await readFile(itemsFile, 'utf8'));
  return {
    ...(name !== undefined && { name }),
    ...(currency !== undefined && { currency }),
    ...(description !== undefined && { description: description === NONE ? null : description }),
    ...(items !== undefined && { items }),
  };
}

/** A plan as a request that changes nothing. */
const sentOf = ({ name, currency, description, items }: OperatorPlan) => ({
  name,
  currency,
  description,
  items: items.map((item) => ({
    kind: item.kind,
    method: item.method,
    direction: item.direction,
    channel: item.channel,
    trunk_owner: item.trunkOwner,
    initial_seconds: item.initialSeconds,
    increment_seconds: item.incrementSeconds,
    flat_rate: item.flatRate,
    deck_id: item.deckId,
    markup_percent: item.markupPercent,
  })),
});

function jsonOf(field: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw invalidField(field, `${field} is not valid JSON.`);
  }
}
