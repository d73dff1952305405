/** Sends random requests through the real handlers with a real database and checks each response. Each lane is a consumer; lanes run concurrently. */
import type { ErrorBody } from '@clarion/protocol';
import type { EndpointDefinition } from '@clarion/protocol/v1/endpoint';
import { buildOpenApi } from '@clarion/protocol/openapi/build-openapi';
import { checkerOf } from '@clarion/protocol/openapi/testing';
import { registry } from '@clarion/protocol/v1/registry';
import type { EndpointName } from '@clarion/protocol/v1/registry';
import { seeded } from '@clarion/test-phone/random';
import fc from 'fast-check';
import { handlers } from '../../app/v1/handlers.ts';
import type { Web } from '../support.ts';
import { openLane, plantRecording, putBack } from './lane.ts';
import type { Lane } from './lane.ts';
import { unfounded } from './meanings.ts';
import { requestsTo } from './requests.ts';
import type { FuzzRequest } from './requests.ts';

/** Longer than any request takes, also on a busy machine. */
const HANG_MS = 10_000;
/** The interval of requests on the service's clock, so that none is rate limited. */
const STEP_MS = 20;
const LANES = 4;
/** Endpoints that start a process for each valid request: requested less often. */
const RARE = /^createAudioAsset$/;
const RARE_SHARE = 0.1;
const LEANING_SHARE = 0.25;
/** The number of requests after which a lane's fixture is restored. */
const PUT_BACK_EVERY = 25;
/** Nothing records calls here, so some calls are given a recording. */
const RECORDING_EVERY = 200;

export interface Seen {
  requests: number;
  succeeded: number;
  slowestMs: number;
  /** Rejections of valid requests, by code. */
  refusals: Record<string, number>;
}

export interface Tally {
  requests: number;
  byStatus: Record<number, number>;
  byMood: Record<string, number>;
  /** Valid requests with a 2xx response. */
  fittingSucceeded: number;
  byEndpoint: [EndpointName, Seen][];
  /** The failures; empty if there are none. */
  complaints: string[];
}

/** More failures than this add no information. */
const COMPLAINTS_KEPT = 40;

const { undocumented } = checkerOf(buildOpenApi({ baseUrl: 'http://localhost', version: '0' }));
const isEndpoint = (name: string): name is EndpointName => name in registry;
/** Sent with an API key: endpoints for dashboard users only would reject it, which the access matrix tests. */
const names = Object.entries<EndpointDefinition>(registry).flatMap(([name, { sessionOnly }]) =>
  isEndpoint(name) && !sessionOnly ? [name] : [],
);
/** Endpoints with more fields get more requests. */
const drawnFrom = names.flatMap((name) => {
  const { body, query }: EndpointDefinition = registry[name];
  return body || query ? [name, name, name] : [name];
});

export async function fuzz(web: Web, { requests, seed }: { requests: number; seed: number }): Promise<Tally> {
  const tally: Tally = {
    requests: 0,
    byStatus: {},
    byMood: {},
    fittingSucceeded: 0,
    byEndpoint: names.map((name) => [name, { requests: 0, succeeded: 0, slowestMs: 0, refusals: {} }]),
    complaints: [],
  };
  const lanes = [];
  for (let index = 0; index < LANES; index += 1) lanes.push(await openLane(web, `lane-${index}`));
  web.setNow(new Date());
  await Promise.all(lanes.map((lane, index) => runLane(web, lane, tally, requests / LANES, seed + index)));
  return tally;
}

async function runLane(web: Web, lane: Lane, tally: Tally, requests: number, seed: number): Promise<void> {
  const arbitraries = new Map(names.map((name) => [name, requestsTo(name, lane.pools)]));
  const random = seeded(seed);
  for (let index = 0; index < requests; index += 1) {
    const drawn = drawnFrom[Math.floor(random() * drawnFrom.length)] ?? 'listTenants';
    const name = RARE.test(drawn) && random() > RARE_SHARE ? 'listCalls' : drawn;
    const arbitrary = arbitraries.get(name) ?? requestsTo(name, lane.pools);
    // fast-check prefers small and large values, and more so in short runs; that is right for some requests, not for most.
    const leaning = random() < LEANING_SHARE ? arbitrary : fc.noBias(arbitrary);
    const [request] = fc.sample(leaning, { seed: Math.floor(random() * 2 ** 31), numRuns: 1 });
    if (request) await ask(web, lane, tally, request, `seed ${seed}, request ${index}`);
    if (index % PUT_BACK_EVERY === 0) await putBack(web, lane);
    if (index % RECORDING_EVERY === 0) await plantRecording(web, lane);
  }
}

async function ask(web: Web, lane: Lane, tally: Tally, request: FuzzRequest, where: string): Promise<void> {
  const complain = (what: string) => {
    if (tally.complaints.length >= COMPLAINTS_KEPT) return;
    const { name, mood, path, query, text, spoiled } = request;
    const sent = `${name} ${mood} ${path}?${query} ${text?.slice(0, 600) ?? ''}`;
    tally.complaints.push(
      `${what}\n    ${where}: ${sent}${spoiled.length > 0 ? ` (spoiled: ${spoiled.join()})` : ''}`,
    );
  };
  web.setNow(new Date(web.runtime.now().getTime() + STEP_MS));
  const startedAt = performance.now();
  const answer = await within(HANG_MS, send(lane, request));
  const seen = tally.byEndpoint.find(([name]) => name === request.name)?.[1];
  tally.requests += 1;
  tally.byMood[request.mood] = (tally.byMood[request.mood] ?? 0) + 1;
  if (!answer) return complain(`no answer in ${HANG_MS} ms`);
  const { status, text, json } = answer;
  tally.byStatus[status] = (tally.byStatus[status] ?? 0) + 1;
  if (seen) {
    seen.requests += 1;
    seen.slowestMs = Math.max(seen.slowestMs, performance.now() - startedAt);
    if (status < 300) seen.succeeded += 1;
    else if (request.mood === 'fitting') {
      const code = json === undefined ? String(status) : (json as ErrorBody).error.code;
      seen.refusals[code] = (seen.refusals[code] ?? 0) + 1;
    }
  }
  for (const what of misfits(request, answer)) complain(what);
  if (status >= 500) complain(`answered ${status}: ${text}`);
  if (status < 300) {
    lane.pools.harvest(json);
    if (request.mood === 'fitting') tally.fittingSucceeded += 1;
    if (request.mood === 'corrupted' || request.mood === 'garbled')
      complain(`was accepted: ${text.slice(0, 200)}`);
    return undefined;
  }
  // The errors of some endpoints have no body; the document says so.
  if (json === undefined) return undefined;
  const wrong = await misplaced(web, lane, request, status, json as ErrorBody);
  if (wrong !== null) complain(wrong);
  return undefined;
}

interface Answer {
  status: number;
  text: string;
  contentType: string | null;
  json: unknown;
}

async function send({ key }: Lane, request: FuzzRequest): Promise<Answer> {
  const { name, path, query, text: body, headers } = request;
  const endpoint: EndpointDefinition = registry[name];
  const response = await handlers[name](
    new Request(`http://localhost${path}${query ? `?${query}` : ''}`, {
      method: endpoint.method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body !== undefined && endpoint.method !== 'GET' && { body }),
    }),
  );
  const text = await response.text();
  const contentType = response.headers.get('content-type');
  const isJson = text !== '' && contentType?.startsWith('application/json') === true;
  return { status: response.status, text, contentType, json: isJson ? JSON.parse(text) : undefined };
}

/** Checks a response against the published document, and a success against the endpoint's strict schema. */
function misfits({ name }: FuzzRequest, { status, text, contentType, json }: Answer): string[] {
  const { path, method, answer }: EndpointDefinition = registry[name];
  const found = undocumented(path, method, { status, contentType, text });
  if (status >= 300 || !answer.body) return found;
  const issue = answer.body.safeParse(json).error?.issues[0];
  return issue ? [...found, `answered what is no resource: ${issue.path.join('.')} ${issue.message}`] : found;
}

/** Whether an error is about a corrupted field, or for another valid reason. */
async function misplaced(
  web: Web,
  { consumerId }: Lane,
  request: FuzzRequest,
  status: number,
  { error }: ErrorBody,
): Promise<string | null> {
  const { mood, spoiled, pathSpoiled } = request;
  const field = error.details?.field;
  if (status === 429) return 'was rate limited';
  if (pathSpoiled) {
    if (status === 404 || (status === 400 && field !== undefined && spoiled.includes(field))) return null;
    // The key of a POST is read before the path.
    return status === 422 || status === 409
      ? null
      : `a path that is none was answered ${status} ${error.message}`;
  }
  if (status !== 400) {
    const refusable = mood === 'fitting' || mood === 'wild' || status === 409 || status === 422;
    return refusable ? null : `what is ${mood} was answered ${status} ${error.code}`;
  }
  if (mood === 'garbled') return field === undefined ? null : `named ${field} where there is no field`;
  // A change to the values that an entry has already is about no single field.
  if (field === undefined) return error.code === 'unchanged' ? null : `named no field: ${error.message}`;
  if (spoiled.some((name) => covers(name, field))) return null;
  // Free-form JSON is checked as a whole before its fields.
  if (/valid Unicode/.test(error.message) && spoiled.some((name) => covers(field, name))) return null;
  const refusal = { field, message: error.message };
  const wrong = await unfounded(web.runtime.db, request, refusal, consumerId);
  return wrong !== null && mood === 'corrupted' ? `${wrong}; it was not spoiled` : wrong;
}

/** A corrupted field, or a field inside it. */
const covers = (name: string, field: string) =>
  field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`);

async function within<T>(ms: number, work: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
