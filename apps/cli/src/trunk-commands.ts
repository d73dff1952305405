/** Commands about trunks. */
import { Option } from 'commander';
import type { Command } from 'commander';
import type { SipTrunk } from '@clarion/db';
import { endCallsOfTrunk } from '@clarion/core/call/end-calls-of-trunk';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { createTrunk, setTrunk } from '@clarion/core/trunk/create-trunk';
import { deleteTrunk } from '@clarion/core/trunk/delete-trunk';
import { ingressHostOf, presentCarrierSettings } from '@clarion/core/trunk/present';
import { sourceWarning } from '@clarion/core/trunk/source-warning';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import type { TrunkMove } from '@clarion/core/trunk/trunk-moves';
import { credentialsOf, rulesOf, settingsOfOptions, trunkOptions } from './carrier-options.ts';
import type { TrunkOptions } from './carrier-options.ts';
import { withoutUndefined, wholeNumber } from './options.ts';
import type { Add } from './options.ts';
import { addTrunkPing } from './trunk-ping-command.ts';

interface CreateOptions extends TrunkOptions {
  slug?: string;
  name: string;
  ingressLabel?: string;
  templateId?: number;
  active?: true;
}

const createOptions = [
  new Option('--slug <slug>', 'account that owns the trunk; default: a platform trunk'),
  new Option('--name <name>', 'name, unique per account').makeOptionMandatory(),
  new Option(
    '--template-id <id>',
    'carrier template, from which options that are not given are taken',
  ).argParser(wholeNumber),
  new Option('--ingress-label <label>', 'first label of the ingress host; default: derived from the name'),
  ...trunkOptions,
  new Option('--active', 'approve the trunk immediately'),
];

export function addTrunkCommands(program: Command, add: Add, readStdin: () => Promise<string>): void {
  const trunk = program.command('trunk').description('SIP trunks.');
  add<CreateOptions>(
    trunk,
    'create',
    'create a trunk with status DRAFT',
    createOptions,
    async (ctx, options) => {
      const created = await createFrom(ctx, options, readStdin);
      return options.active ? decided(ctx, created.id, 'approve', null) : shown(ctx, created);
    },
  );
  const id = new Option('--id <id>', 'ID of the trunk').argParser(wholeNumber).makeOptionMandatory();
  add<TrunkOptions & { id: number; clearCredentials?: true }>(
    trunk,
    'set',
    'change a trunk of any status; options that are not given stay as they are',
    [id, ...trunkOptions, new Option('--clear-credentials', 'remove the username and password')],
    async (ctx, { id: chosen, clearCredentials, ...options }) => {
      const credentials = (await credentialsOf(options, readStdin)) ?? (clearCredentials ? null : undefined);
      const settings = { ...settingsOfOptions(options), credentials };
      return withWarning(ctx, await setTrunk(ctx, chosen, withoutUndefined(settings)));
    },
  );
  add<{ id: number }>(trunk, 'delete', 'delete a trunk that no line uses', [id], async (ctx, options) => {
    await deleteTrunk(ctx, options.id);
    return { deleted: options.id };
  });
  const note = new Option('--note <text>', 'note for the owner');
  const addMove = (move: TrunkMove, description: string) =>
    add<{ id: number; note?: string }>(trunk, move, description, [id, note], (ctx, options) =>
      decided(ctx, options.id, move, options.note ?? null),
    );
  addMove('approve', 'approve a trunk: it becomes ACTIVE');
  addMove('reject', 'reject a trunk, with a note: it becomes DRAFT again');
  add<{ id: number; note?: string; endCalls?: true }>(
    trunk,
    'suspend',
    'suspend a trunk: it carries no calls, and its owner cannot change it',
    [id, note, new Option('--end-calls', 'also end its live calls; they otherwise continue')],
    async (ctx, options) => ({
      ...(await decided(ctx, options.id, 'suspend', options.note ?? null)),
      ...(options.endCalls && { endedCalls: await endCallsOfTrunk(ctx, options.id) }),
    }),
  );
  addMove('lift', 'lift a suspension: the trunk becomes DISABLED');
  addTrunkPing(trunk, add);
  add(trunk, 'list', 'list all trunks, marking those that need attention', [], async (ctx) =>
    (await ctx.db.sipTrunk.findMany({ orderBy: { id: 'asc' } })).map((row) => shown(ctx, row)),
  );
}

/** The trunk after its change of status, with a warning if another owner's trunk is affected. */
const decided = async (ctx: OperatorCtx, id: number, move: TrunkMove, note: string | null) =>
  withWarning(ctx, await moveTrunk(ctx, id, move, note));

async function withWarning(ctx: OperatorCtx, trunk: SipTrunk) {
  const warning = await sourceWarning(ctx, trunk);
  return { ...shown(ctx, trunk), ...(warning !== null && { warning }) };
}

async function createFrom(
  ctx: OperatorCtx,
  options: CreateOptions,
  readStdin: () => Promise<string>,
): Promise<SipTrunk> {
  const settings = settingsOfOptions(options);
  const { codecs, destinations, register, srtp, techPrefixes, maxCalls, callsPerSecond } = settings;
  const ofTemplate = options.templateId !== undefined;
  return createTrunk(ctx, {
    slug: options.slug ?? null,
    name: options.name,
    host: settings.host ?? null,
    port: settings.port ?? null,
    transport: settings.transport ?? null,
    inboundSourceCidrs: settings.inboundSourceCidrs ?? [],
    ingressLabel: options.ingressLabel ?? null,
    numberRules: rulesOf(settings),
    quirks: settings.quirks ?? (ofTemplate ? null : {}),
    credentials: (await credentialsOf(options, readStdin)) ?? null,
    templateId: options.templateId ?? null,
    ...withoutUndefined({ codecs, destinations, register, srtp, techPrefixes, maxCalls, callsPerSecond }),
  });
}

/** What the developers of an account need of the trunks that it may use. */
export const activePlatformTrunks = async ({ db, settings }: OperatorCtx) =>
  (await db.sipTrunk.findMany({ where: { consumerId: null, status: 'ACTIVE' }, orderBy: { id: 'asc' } })).map(
    (trunk) => ({
      id: trunk.id,
      name: trunk.name,
      ingressHost: ingressHostOf(trunk, settings.ingressDomain),
    }),
  );

/** Everything except the password. */
const shown = (ctx: OperatorCtx, trunk: SipTrunk) => ({
  id: trunk.id,
  name: trunk.name,
  owner: trunk.consumerId === null ? 'PLATFORM' : 'CONSUMER',
  consumerId: trunk.consumerId,
  status: trunk.status,
  attention: attentionOf(trunk),
  ...presentCarrierSettings(trunk),
  maxCalls: trunk.maxCalls,
  callsPerSecond: trunk.callsPerSecond,
  techPrefixes: trunk.techPrefixes,
  username: trunk.username,
  templateId: trunk.templateId,
  followTemplate: trunk.followTemplate,
  ingressLabel: trunk.ingressLabel,
  ingressHost: ingressHostOf(trunk, ctx.settings.ingressDomain),
  ingressHostOnly: trunk.ingressHostOnly,
  reviewNote: trunk.reviewNote,
  submittedAt: trunk.submittedAt?.toISOString() ?? null,
  reviewedAt: trunk.reviewedAt?.toISOString() ?? null,
});

/** An active trunk can be changed by its owner without a new review. */
function attentionOf({ status, reviewedAt, updatedAt }: SipTrunk): string | null {
  if (status === 'PENDING') return 'waiting for approval';
  return status === 'ACTIVE' && reviewedAt !== null && updatedAt > reviewedAt
    ? 'changed after its review'
    : null;
}
