/** Commands about trunks. */
import { Option } from 'commander';
import type { Command } from 'commander';
import type { SipTrunk, TrunkTransport } from '@clarion/db';
import type { OperatorCtx } from '@clarion/core/consumer/operator';
import { createTrunk } from '@clarion/core/trunk/create-trunk';
import { ingressHostOf } from '@clarion/core/trunk/present';
import { sourceWarning } from '@clarion/core/trunk/source-warning';
import { moveTrunk } from '@clarion/core/trunk/trunk-moves';
import type { TrunkMove } from '@clarion/core/trunk/trunk-moves';
import { wholeNumber } from './options.ts';
import type { Add } from './options.ts';
import { addTrunkPing } from './trunk-ping-command.ts';

const DEFAULT_SIP_PORT = 5060;

interface CreateOptions {
  slug?: string;
  name: string;
  host: string;
  port: number;
  transport: TrunkTransport;
  source: string[];
  ingressLabel?: string;
  countryCode?: string;
  nationalPrefix?: string;
  username?: string;
  passwordStdin?: true;
  callerIdPlus?: true;
  calledPlus?: true;
  headerExtensions: boolean;
  active?: true;
}

const createOptions = [
  new Option('--slug <slug>', 'account that owns the trunk; default: a platform trunk'),
  new Option('--name <name>', 'name, unique per account').makeOptionMandatory(),
  new Option('--host <host>', 'destination of outbound calls').makeOptionMandatory(),
  new Option('--port <port>', 'destination of outbound calls')
    .argParser(wholeNumber)
    .default(DEFAULT_SIP_PORT),
  new Option('--transport <transport>', 'transport towards the carrier')
    .choices(['UDP', 'TCP', 'TLS'])
    .default('UDP'),
  new Option('--source <cidr...>', 'signalling addresses of the carrier').default([]),
  new Option('--ingress-label <label>', 'first label of the ingress host; default: derived from the name'),
  new Option('--country-code <digits>', 'country code of numbers without one'),
  new Option('--national-prefix <digits>', 'prefix of national numbers'),
  new Option('--username <name>', 'username for digest authentication'),
  new Option('--password-stdin', 'read the password from standard input'),
  new Option('--caller-id-plus', 'send the caller ID as +44… instead of 44…'),
  new Option('--called-plus', 'send the called number as +44… instead of 44…'),
  new Option(
    '--no-header-extensions',
    'do not send RTP header extensions, which the carrier does not support',
  ),
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
  const note = new Option('--note <text>', 'note for the owner');
  const addMove = (move: TrunkMove, description: string) =>
    add<{ id: number; note?: string }>(trunk, move, description, [id, note], (ctx, options) =>
      decided(ctx, options.id, move, options.note ?? null),
    );
  addMove('approve', 'approve a trunk: it becomes ACTIVE');
  addMove('reject', 'reject a trunk: it becomes DRAFT again');
  addMove('suspend', 'suspend a trunk: it carries no calls, and its owner cannot change it');
  addMove('lift', 'lift a suspension: the trunk becomes DISABLED');
  addTrunkPing(trunk, add);
  add(trunk, 'list', 'list all trunks', [], async (ctx) =>
    (await ctx.db.sipTrunk.findMany({ orderBy: { id: 'asc' } })).map((row) => shown(ctx, row)),
  );
}

/** The trunk after its change of status, with a warning if another owner's trunk is affected. */
async function decided(ctx: OperatorCtx, id: number, move: TrunkMove, note: string | null) {
  const trunk = await moveTrunk(ctx, id, move, note);
  const warning = await sourceWarning(ctx, trunk);
  return { ...shown(ctx, trunk), ...(warning !== null && { warning }) };
}

async function createFrom(
  ctx: OperatorCtx,
  options: CreateOptions,
  readStdin: () => Promise<string>,
): Promise<SipTrunk> {
  const { username, countryCode, nationalPrefix } = options;
  const password = options.passwordStdin ? (await readStdin()).trim() : '';
  return createTrunk(ctx, {
    slug: options.slug ?? null,
    name: options.name,
    host: options.host,
    port: options.port,
    transport: options.transport,
    inboundSourceCidrs: options.source,
    ingressLabel: options.ingressLabel ?? null,
    numberRules: countryCode ? { countryCode, ...(nationalPrefix && { nationalPrefix }) } : null,
    quirks: {
      ...(options.callerIdPlus && { callerIdPlus: true }),
      ...(options.calledPlus && { calledPlus: true }),
      ...(!options.headerExtensions && { noHeaderExtensions: true }),
    },
    credentials: username ? { username, password } : null,
  });
}

/** Everything except the password. */
const shown = (ctx: OperatorCtx, trunk: SipTrunk) => ({
  id: trunk.id,
  name: trunk.name,
  owner: trunk.consumerId === null ? 'PLATFORM' : 'CONSUMER',
  consumerId: trunk.consumerId,
  status: trunk.status,
  host: trunk.host,
  port: trunk.port,
  transport: trunk.transport,
  inboundSourceCidrs: trunk.inboundSourceCidrs,
  ingressLabel: trunk.ingressLabel,
  ingressHost: ingressHostOf(trunk, ctx.settings.ingressDomain),
  ingressHostOnly: trunk.ingressHostOnly,
  reviewNote: trunk.reviewNote,
});
