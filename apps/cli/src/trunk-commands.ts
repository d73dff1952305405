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
  new Option('--slug <slug>', 'whose trunk; default: the platform’s'),
  new Option('--name <name>', 'unique per account').makeOptionMandatory(),
  new Option('--host <host>', 'where outbound calls go').makeOptionMandatory(),
  new Option('--port <port>', 'where outbound calls go').argParser(wholeNumber).default(DEFAULT_SIP_PORT),
  new Option('--transport <transport>', 'towards the carrier').choices(['UDP', 'TCP', 'TLS']).default('UDP'),
  new Option('--source <cidr...>', "the carrier's signalling addresses").default([]),
  new Option('--ingress-label <label>', 'first label of the ingress host; default: from the name'),
  new Option('--country-code <digits>', 'of numbers without one'),
  new Option('--national-prefix <digits>', 'in front of national numbers'),
  new Option('--username <name>', 'for digest authentication'),
  new Option('--password-stdin', 'read the password from standard input'),
  new Option('--caller-id-plus', 'send the caller id as +44… instead of 44…'),
  new Option('--called-plus', 'send the called number as +44… instead of 44…'),
  new Option('--no-header-extensions', 'the carrier cannot bear RTP header extensions'),
  new Option('--active', 'approve it at once'),
];

export function addTrunkCommands(program: Command, add: Add, readStdin: () => Promise<string>): void {
  const trunk = program.command('trunk').description('Carrier connections.');
  add<CreateOptions>(trunk, 'create', 'make a trunk, as DRAFT', createOptions, async (ctx, options) => {
    const created = await createFrom(ctx, options, readStdin);
    return options.active ? decided(ctx, created.id, 'approve', null) : shown(ctx, created);
  });
  const id = new Option('--id <id>', "the trunk's id").argParser(wholeNumber).makeOptionMandatory();
  const note = new Option('--note <text>', 'what its owner is told');
  const addMove = (move: TrunkMove, description: string) =>
    add<{ id: number; note?: string }>(trunk, move, description, [id, note], (ctx, options) =>
      decided(ctx, options.id, move, options.note ?? null),
    );
  addMove('approve', 'make it ACTIVE');
  addMove('reject', 'send it back to DRAFT');
  addMove('suspend', 'no calls, and its owner can change nothing');
  addMove('lift', 'end a suspension: DISABLED');
  add(trunk, 'list', 'every trunk', [], async (ctx) =>
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
