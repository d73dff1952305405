/** Requests to Meta's Graph API about calls: counted, and logged if they fail. Neither SDP, token nor customer reaches the log. */
import { randomUUID } from 'node:crypto';
import type { GraphClient, GraphLine, GraphResult } from '@clarion/core/whatsapp/graph-client';
import { graphLineOf } from '@clarion/core/whatsapp/graph-line';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import type { Deps } from '../deps.ts';
import type { LadderWriter } from '../media/ladder-writer.ts';
import { graphPart, tracedGraph } from './traced-graph.ts';
import type { GraphRequest } from './traced-graph.ts';

export type GraphAction = 'connect' | 'preAccept' | 'accept' | 'reject' | 'terminate';

export class CountedGraph {
  readonly #deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'graph' | 'now'>;
  readonly #ladders: Pick<LadderWriter, 'add'>;
  readonly #requests: Counter<'action' | 'result'>;

  constructor(
    deps: Pick<Deps, 'db' | 'log' | 'secrets' | 'graph' | 'now'>,
    ladders: Pick<LadderWriter, 'add'>,
    metrics: Registry,
  ) {
    this.#deps = deps;
    this.#ladders = ladders;
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
    const { graph, log, now } = this.#deps;
    const startedAt = now();
    let request: GraphRequest | null = null;
    const result = await send(tracedGraph(graph, (sent) => (request = sent)));
    if (callId !== null && request) this.#trace(callId, action, { request, result, startedAt });
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

  #trace(
    callId: number,
    action: GraphAction,
    exchange: { request: GraphRequest; result: GraphResult<unknown>; startedAt: Date },
  ): void {
    const { log, now } = this.#deps;
    const { request, result, startedAt } = exchange;
    const part = graphPart(action, request, result, now().getTime() - startedAt.getTime());
    this.#ladders
      .add(randomUUID(), callId, startedAt, part)
      .catch((error: unknown) => log.warn({ err: error, callId }, 'failed to store a request to WhatsApp'));
  }
}
