/** Requests to Meta's Graph API about calls: counted, and logged if they fail. Neither SDP, token nor customer reaches the log. */
import type { GraphClient, GraphLine, GraphResult } from '@clarion/core/whatsapp/graph-client';
import { graphLineOf } from '@clarion/core/whatsapp/graph-line';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Deps } from '../deps.ts';

export type GraphAction = 'connect' | 'preAccept' | 'accept' | 'reject' | 'terminate';

export class CountedGraph {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'graph'>;
  readonly #requests: Counter<'action' | 'result'>;

  constructor(deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'graph'>, metrics: Registry) {
    this.#deps = deps;
    this.#requests = new Counter({
      name: 'clarion_whatsapp_requests_total',
      help: 'Requests to WhatsApp about calls, by action and result: ok, refused, or why there was no usable response',
      labelNames: ['action', 'result'],
      registers: [metrics],
    });
  }

  /** The line's number at Meta and its access token; null: the line was deleted or has none. */
  async lineOf(channelId: number): Promise<GraphLine | null> {
    const { db, secrets } = this.#deps;
    const channel = await db.channel.findUnique({
      where: { id: channelId },
      select: { type: true, providerAccountId: true, credentialsSealed: true },
    });
    return channel && graphLineOf(secrets, channel);
  }

  /** @param callId null: the customer's call became no call of ours */
  async request<T>(
    action: GraphAction,
    callId: number | null,
    send: (graph: GraphClient) => Promise<GraphResult<T>>,
  ): Promise<GraphResult<T>> {
    const { graph, log } = this.#deps;
    const result = await send(graph);
    this.#requests.inc({ action, result: result.kind === 'silent' ? result.silence : result.kind });
    if (result.kind === 'refused') {
      const { httpStatus, error } = result;
      log.warn(
        { callId, action, httpStatus, code: error.code, subcode: error.subcode },
        'WhatsApp refused a request',
      );
    }
    if (result.kind === 'silent') {
      const { silence, sent } = result;
      log.warn({ callId, action, silence, sent }, 'no usable response from WhatsApp');
    }
    return result;
  }
}
