/** The Graph API over HTTP: version, access token, body, faults; everything else is a route. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { BodyTooLarge, listen, parseJson, readBody, sendJson, type Listening } from '../http.ts';
import { newTraceId } from '../ids.ts';
import { GraphError, invalidParameter } from '../protocol/errors.ts';
import { isObject, type Json } from '../protocol/fields.ts';
import { takeFault, type GraphFault } from './faults.ts';
import { respond, type GraphContext } from './routes.ts';

const OLDEST_VERSION = 14;

export interface GraphServerOptions {
  readonly context: GraphContext;
  readonly accessTokens: readonly string[];
  readonly host: string;
  readonly port: number;
}

export class GraphServer {
  faults: readonly GraphFault[] = [];
  readonly #options: GraphServerOptions;
  #listening: Listening | null = null;

  constructor(options: GraphServerOptions) {
    this.#options = options;
  }

  async start(): Promise<number> {
    const { host, port } = this.#options;
    this.#listening = await listen((request, response) => void this.#handle(request, response), host, port);
    return this.#listening.port;
  }

  async close(): Promise<void> {
    await this.#listening?.close();
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://simulator');
    const method = request.method ?? 'GET';
    const path = url.pathname.split('/').filter(Boolean);
    const traceId = newTraceId();
    let body: Json = {};
    let status = 200;
    let result: object;
    let errorCode: number | null = null;
    let fault: GraphFault | null = null;
    const action = (): string | null => (typeof body['action'] === 'string' ? body['action'] : null);
    try {
      body = await bodyOf(request);
      fault = this.#takeFault(action() ?? path.at(-1) ?? '', path[1]);
      if (fault?.kind === 'slow') await wait(fault.delayMs);
      if (fault?.kind === 'timeout') return;
      if (fault?.kind === 'error') throw new GraphError(fault.code, 'A fault of the simulator.');
      if (fault?.kind === 'http') return this.#write(response, fault.status, fault.body);
      this.#authorize(request, url);
      assertVersion(path[0] ?? '');
      result = await respond(this.#options.context, {
        method,
        path: path.slice(1),
        query: url.searchParams,
        body,
      });
    } catch (error) {
      const known = asGraphError(error);
      status = known.http;
      errorCode = known.code;
      result = known.body(traceId);
    }
    this.#options.context.world.journal.record({
      type: 'request',
      method,
      path: url.pathname,
      action: action(),
      subject: subjectOf(body),
      status,
      errorCode,
    });
    if (fault?.kind === 'lost_response') return void request.socket.destroy();
    const text = JSON.stringify(result);
    if (fault?.kind === 'malformed') return this.#write(response, status, text.slice(0, text.length / 2));
    sendJson(response, status, result, { 'x-fb-trace-id': traceId });
  }

  #takeFault(operation: string, phoneNumberId: string | undefined): GraphFault | null {
    const { fault, rest } = takeFault(this.faults, operation, phoneNumberId);
    this.faults = rest;
    return fault;
  }

  #write(response: ServerResponse, status: number, text: string): void {
    response.writeHead(status, { 'content-type': 'application/json; charset=UTF-8' });
    response.end(text);
  }

  #authorize(request: IncomingMessage, url: URL): void {
    const [, bearer] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
    const token = bearer ?? url.searchParams.get('access_token');
    if (!token) throw new GraphError(104);
    if (!this.#options.accessTokens.includes(token)) throw new GraphError(190);
  }
}

/** A customer's number without the plus sign, as in webhooks. */
function subjectOf(body: Json): string | null {
  const named = [body['call_id'], body['to'], body['recipient']].find((each) => typeof each === 'string');
  return typeof named === 'string' ? named.replace(/^\+/, '') : null;
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const text = await readBody(request);
  if (text === '') return {};
  const body = parseJson(text);
  if (!isObject(body)) throw invalidParameter('The request body must be a JSON object.');
  return body;
}

function assertVersion(part: string): void {
  const [, major] = /^v(\d{1,3})\.\d$/.exec(part) ?? [];
  if (major === undefined) throw new GraphError(2500, `/${part}`);
  if (Number(major) < OLDEST_VERSION) throw new GraphError(2635, `v${OLDEST_VERSION}.0 or later`);
}

/** An error that is not Meta's is a fault of the simulator, and its message helps to find it. */
function asGraphError(error: unknown): GraphError {
  if (error instanceof GraphError) return error;
  if (error instanceof BodyTooLarge) return invalidParameter(error.message);
  return new GraphError(131000, error instanceof Error ? error.message : String(error));
}
