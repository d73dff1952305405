/** Carries out tests of trunks that the API or the operator requests (core trunk/test-trunk.ts). */
import { claimTest, finishTest } from '@clarion/core/trunk/test-trunk';
import { checkupLines } from '@clarion/core/trunk-monitor/checkup';
import { pingOf } from '@clarion/core/trunk-monitor/ping';
import { failures, trunkRegistration } from '@clarion/protocol';
import type { TrunkPing, TrunkTestResult } from '@clarion/protocol';
import type { CheckupFacts } from '@clarion/protocol/carrier-requests';
import { codecsOfTrunk } from '@clarion/protocol/media';
import type { SipTrunk, SipTrunkState } from '@clarion/db';
import type { Deps } from '../deps.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { trunkTarget } from '../media/trunk-target.ts';
import { requestThroughMedia } from './media-requests.ts';

export class TrunkTests {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>;
  readonly #nodes: MediaNodes;

  constructor(deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>, nodes: MediaNodes) {
    this.#deps = deps;
    this.#nodes = nodes;
  }

  /** The node that claims it carries it out. A node without media leaves it to the others. */
  async requested(trunkId: number): Promise<void> {
    const { db, log, now } = this.#deps;
    if (this.#nodes.ids.length === 0) return;
    const testedAt = await claimTest(db, trunkId, now());
    if (!testedAt) return;
    const trunk = await db.sipTrunk.findUnique({ where: { id: trunkId }, include: { state: true } });
    if (!trunk) return;
    const result = await this.#run(trunk);
    await finishTest(db, trunkId, testedAt, result);
    log.info({ trunkId, ...('ping' in result && { up: result.ping.up }) }, 'trunk tested');
  }

  async #run(trunk: SipTrunk & { state: SipTrunkState | null }): Promise<TrunkTestResult> {
    const target = trunkTarget(trunk, this.#deps.secrets);
    const requested = await requestThroughMedia(this.#nodes, 'trunk:checkup', {
      target,
      registers: trunk.register,
    });
    if (!requested) return { unavailable: true };
    const { reply: facts } = requested;
    const checked = {
      host: trunk.host,
      transport: trunk.transport,
      status: trunk.status,
      inboundSourceCidrs: trunk.inboundSourceCidrs,
      codecs: codecsOfTrunk(trunk.codecs),
      register: trunk.register,
      username: trunk.username,
      registration: trunkRegistration.nullable().parse(trunk.state?.registration ?? null),
    };
    return { ping: pingFrom(facts, trunk, this.#deps.now()), checkup: checkupLines(checked, facts) };
  }
}

/** Nothing was sent if no address of the trunk may be contacted. */
function pingFrom({ options, names }: CheckupFacts, trunk: SipTrunk, at: Date): TrunkPing {
  if (options) return pingOf(options, at);
  const { host, port, transport } = trunk;
  const isPrivate = names.some(({ refused }) => refused.length > 0);
  return {
    up: false,
    status: null,
    reason: null,
    rttMs: null,
    error: failures[isPrivate ? 'host_private' : 'host_not_found'].text,
    at: at.toISOString(),
    target: `sip:${host}:${port};transport=${transport.toLowerCase()}`,
  };
}
