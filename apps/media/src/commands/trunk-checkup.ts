import type {
  CheckupFacts,
  NameFacts,
  OptionsReply,
  RegisterReply,
} from '@clarion/protocol/carrier-requests';
import type { MediaCommandPayload, TrunkTarget } from '@clarion/protocol/media';
import type { NodeContext } from '../context.ts';
import type { Hop, Located } from '../sip/trunk-addresses.ts';
import { tryTcp, tryTls } from '../trunk/connect.ts';
import { optionsReplyOf, optionsRequest } from '../trunk/options.ts';
import { bindingsRequest, registerReplyOf } from '../trunk/register.ts';
import { deadline, locate, requestHops, requireSip } from '../trunk/trunk-request.ts';

/** For the TCP connection and the TLS handshake together. */
const CONNECT_TIMEOUT_MS = 3_500;

/** Everything but DNS is looked at concurrently, within one deadline. */
export async function trunkCheckup(
  node: NodeContext,
  { target, registers }: MediaCommandPayload<'trunk:checkup'>,
): Promise<CheckupFacts> {
  requireSip(node, target);
  const deadlineMs = deadline();
  const [main, ...others] = await Promise.all(
    [target, ...furtherDestinations(target)].map((one) => locate(node, one)),
  );
  const at = new Date().toISOString();
  const names: NameFacts[] = [main, ...others].flatMap((located) => (located ? [located.facts] : []));
  const hop = main?.hops[0];
  if (!main || !hop) {
    return { at, names, connection: null, certificate: null, options: null, registrar: null };
  }
  const [{ connection, certificate }, options, registrar] = await Promise.all([
    connect(node, target, hop, deadlineMs),
    ask(node, target, main, deadlineMs),
    registers ? askRegistrar(node, target, main, deadlineMs) : null,
  ]);
  return { at, names, connection, certificate, options, registrar };
}

const furtherDestinations = (target: TrunkTarget): TrunkTarget[] =>
  target.destinations.map(({ host, port }) => ({ ...target, host, port, useSrv: false }));

async function connect(
  node: NodeContext,
  { transport }: TrunkTarget,
  hop: Hop,
  deadlineMs: number,
): Promise<Pick<CheckupFacts, 'connection' | 'certificate'>> {
  if (transport === 'UDP') return { connection: null, certificate: null };
  const untilMs = Math.min(deadlineMs, performance.now() + CONNECT_TIMEOUT_MS);
  const leftMs = () => Math.max(0, untilMs - performance.now());
  const connection = await tryTcp(hop, leftMs());
  if (transport === 'TCP' || connection.error !== null) return { connection, certificate: null };
  const { certificate, error } = await tryTls(hop, leftMs(), node.sipTlsCa);
  return { connection: { ...connection, error }, certificate };
}

const ask = async (
  node: NodeContext,
  target: TrunkTarget,
  located: Located,
  deadlineMs: number,
): Promise<OptionsReply> =>
  optionsReplyOf(await requestHops(node, target, { ...optionsRequest(target), ...located, deadlineMs }));

const askRegistrar = async (
  node: NodeContext,
  target: TrunkTarget,
  located: Located,
  deadlineMs: number,
): Promise<RegisterReply> =>
  registerReplyOf(await requestHops(node, target, { ...bindingsRequest(target), ...located, deadlineMs }));
