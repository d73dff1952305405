/** The control API over HTTP, on loopback: for tests in other processes and for a page that plays the customer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { listen, parseJson, readBody, sendJson, type Listening } from '../http.ts';
import { isObject, type Json } from '../protocol/fields.ts';
import { ControlError, type NewCustomer } from '../world/world.ts';
import type { CustomerChange, MetaControl } from './control.ts';
import { sendPageFile } from './page-files.ts';
import {
  audio,
  choice,
  errorCode,
  flag,
  graphFault,
  optionalText,
  text,
  webhookFault,
  whole,
} from './parse.ts';

const HEARTBEAT_MS = 15_000;
const LOCAL_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
const DONE = { success: true };

/** The parts of the path that are names, in the order of the pattern's colons. */
type Route = (control: MetaControl, body: Json, ref: string) => unknown;

const customerOf = (body: Json): NewCustomer => ({ ...(body as object), waId: text(body, 'waId') });

const routes: Readonly<Record<string, Route>> = {
  'GET /state': (control) => control.state(),
  'GET /journal': (control) => ({ entries: control.journal.entries }),
  'POST /clock': (control, body) => {
    control.advance(whole(body, 'advanceMs'));
    return control.state();
  },
  'POST /customers': (control, body) => control.addCustomer(customerOf(body)),
  'PATCH /customers/:': (control, body, ref) => control.changeCustomer(ref, body as CustomerChange),
  'POST /customers/:/audio': async (control, body, ref) => {
    control.setAudio(ref, await audio(body));
    return DONE;
  },
  'POST /customers/:/permission': (control, body, ref) => {
    const decisions = ['accept', 'accept_permanently', 'reject', 'revoke'] as const;
    control.decidePermission(ref, choice(body, 'decision', decisions), optionalText(body, 'phoneNumberId'));
    return { permission: control.permissionOf(ref, optionalText(body, 'phoneNumberId')) };
  },
  'GET /calls': (control) => ({ calls: control.calls() }),
  'POST /calls': (control, body) =>
    control.placeCall(text(body, 'customer'), optionalText(body, 'phoneNumberId')),
  'GET /calls/:': (control, _, ref) => control.call(ref),
  'POST /calls/:/answer': (control, _, ref) => control.answer(ref),
  'POST /calls/:/decline': (control, _, ref) => control.decline(ref),
  'POST /calls/:/hang-up': (control, _, ref) => control.hangUp(ref),
  'POST /calls/:/fail': (control, body, ref) => control.fail(ref, errorCode(body, 'code')),
  'POST /calls/:/digits': async (control, body, ref) => {
    await control.sendDigits(ref, text(body, 'digits'));
    return DONE;
  },
  'POST /calls/:/audio': async (control, body, ref) => {
    control.play(ref, await audio(body));
    return DONE;
  },
  'POST /calls/:/media': (control, body, ref) => {
    control.fromPage(ref, text(body, 'sdp'));
    return DONE;
  },
  'GET /calls/:/heard': (control, _, ref) => control.heard(ref),
  'POST /calls/:/interrupt': (control, body, ref) => {
    control.interrupt(ref, choice(body, 'what', ['media', 'consent']), flag(body, 'interrupted'));
    return DONE;
  },
  'GET /webhook-faults': (control) => ({ faults: control.webhookFaults() }),
  'POST /webhook-faults': (control, body) => control.addWebhookFault(webhookFault(body)),
  'DELETE /webhook-faults': (control) => {
    control.clearWebhookFaults();
    return DONE;
  },
  'GET /graph-faults': (control) => ({ faults: control.graphFaults() }),
  'POST /graph-faults': (control, body) => {
    control.addGraphFault(graphFault(body));
    return DONE;
  },
  'DELETE /graph-faults': (control) => {
    control.clearGraphFaults();
    return DONE;
  },
};

export interface ControlServerOptions {
  readonly control: MetaControl;
  readonly host: string;
  readonly port: number;
  readonly origin: string | null;
}

export async function startControlServer(options: ControlServerOptions): Promise<Listening> {
  return listen((request, response) => void handle(options, request, response), options.host, options.port);
}

async function handle(
  { control, origin }: ControlServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const headers: Record<string, string> =
    origin === null
      ? {}
      : {
          'access-control-allow-origin': origin,
          'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
          'access-control-allow-headers': 'content-type',
        };
  const url = new URL(request.url ?? '/', 'http://simulator');
  try {
    assertLocal(request, origin);
    if (request.method === 'OPTIONS') {
      response.writeHead(204, headers).end();
    } else if (request.method === 'GET' && url.pathname === '/events') {
      streamEvents(control, url.searchParams.get('speaker'), request, response, headers);
    } else if (request.method !== 'GET' || !(await sendPageFile(url.pathname, response))) {
      const { route, ref } = routeOf(request.method ?? 'GET', url.pathname);
      const body = await bodyOf(request);
      sendJson(response, 200, (await route(control, body, ref)) as object, headers);
    }
  } catch (error) {
    const http = error instanceof ControlError ? error.http : 500;
    const message = error instanceof Error ? error.message : String(error);
    sendJson(response, http, { error: { message } }, headers);
  }
}

/** Our own page may use the API; a page of another origin must not reach the API of a developer's machine, neither directly nor by DNS rebinding. */
function assertLocal(request: IncomingMessage, origin: string | null): void {
  if (!LOCAL_HOST.test(request.headers.host ?? ''))
    throw new ControlError('the control API is reachable as localhost only', 403);
  const { origin: from, host } = request.headers;
  if (from !== undefined && from !== origin && from !== `http://${host}`)
    throw new ControlError(`pages of ${from} may not use the control API`, 403);
}

function routeOf(method: string, pathname: string): { route: Route; ref: string } {
  const [root = '', ref = '', ...rest] = pathname.split('/').filter(Boolean);
  const pattern = [root, ...(ref === '' ? [] : [':']), ...rest].join('/');
  const route = routes[`${method} /${pattern}`];
  if (!route) throw new ControlError(`no endpoint ${method} ${pathname}`, 404);
  return { route, ref: decodeURIComponent(ref) };
}

async function bodyOf(request: IncomingMessage): Promise<Json> {
  const body = await readBody(request);
  if (body === '') return {};
  const parsed = parseJson(body);
  if (!isObject(parsed)) throw new ControlError('the body must be a JSON object', 400);
  return parsed;
}

/** Server-sent events: the journal from now on, one entry per event. The customer `speaker` speaks in the page that reads them. */
function streamEvents(
  control: MetaControl,
  speaker: string | null,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Record<string, string>,
): void {
  const leavePage = speaker === null ? () => undefined : control.speakInPage(speaker);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', ...headers });
  response.write(': connected\n\n');
  const end = control.journal.subscribe((entry) =>
    response.write(`id: ${entry.seq}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`),
  );
  const heartbeat = setInterval(() => response.write(': \n\n'), HEARTBEAT_MS);
  request.once('close', () => {
    clearInterval(heartbeat);
    end();
    leavePage();
  });
}
