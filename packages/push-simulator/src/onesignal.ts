/** OneSignal's REST API: `POST /notifications`. */
import { randomUUID } from 'node:crypto';
import { isObject, objectOf } from './exchange.ts';
import type { Request, Response, Service } from './exchange.ts';
import { Faults } from './faults.ts';
import type { Http1Connections } from './http1-server.ts';
import type { Inboxes } from './inboxes.ts';

export interface OneSignalApp {
  readonly appId: string;
  readonly apiKey: string;
}

const refusal = (status: number, ...errors: string[]): Response => ({ status, body: { errors } });

export class OneSignal implements Service {
  readonly faults = new Faults();
  readonly connections: Http1Connections = { mostOpen: 0 };
  readonly #apiKeys: Map<string, string>;
  readonly #subscriptions = new Map<string, { appId: string; isSubscribed: boolean }>();
  readonly #inboxes: Inboxes;

  constructor(apps: readonly OneSignalApp[], inboxes: Inboxes) {
    this.#apiKeys = new Map(apps.map(({ appId, apiKey }) => [appId, apiKey]));
    this.#inboxes = inboxes;
  }

  /** @returns the subscription ID that OneSignal's SDK gives to the app */
  addSubscription(appId: string): string {
    const id = randomUUID();
    this.#subscriptions.set(id, { appId, isSubscribed: true });
    return id;
  }

  /** The user has turned notifications off, or on again. */
  setSubscribed(id: string, isSubscribed: boolean): void {
    const subscription = this.#subscriptions.get(id);
    if (!subscription) throw new Error(`there is no subscription ${id}`);
    subscription.isSubscribed = isSubscribed;
  }

  tokenOf({ body }: Request): string | null {
    const ids = objectOf(body)?.['include_subscription_ids'];
    return Array.isArray(ids) && typeof ids[0] === 'string' ? ids[0] : null;
  }

  handle(request: Request): Response {
    const { method, path, headers } = request;
    if (method !== 'POST' || path !== '/notifications') return refusal(404, 'Not found');
    const body = objectOf(request.body);
    if (!body) return refusal(400, 'The request is not valid JSON');
    const appId = String(body['app_id']);
    const apiKey = this.#apiKeys.get(appId);
    if (apiKey === undefined) return refusal(400, 'app_id not found');
    if (headers['authorization'] !== `Key ${apiKey}`) return refusal(403, 'Access denied.');
    const token = this.tokenOf(request);
    if (token === null)
      return refusal(400, 'You must include which players, segments, or tags you wish to send this to.');
    const { contents, data } = body;
    if (!isObject(contents) && body['content_available'] !== true)
      return refusal(400, 'Message Notifications must have English language content');
    if (data !== undefined && !isObject(data)) return refusal(400, 'data must be an object');
    const subscription = this.#subscriptions.get(token);
    const id = randomUUID();
    if (subscription?.appId !== appId)
      return { status: 200, body: { id, errors: { invalid_player_ids: [token] } } };
    if (!subscription.isSubscribed)
      return { status: 200, body: { id: '', errors: ['All included players are not subscribed'] } };
    this.#inboxes.add({ provider: 'onesignal', token, data: data ?? {}, headers, body });
    return { status: 200, body: { id, external_id: null } };
  }
}
