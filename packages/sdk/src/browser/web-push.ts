/**
 * Push notifications that ring this browser while the phone is closed. The agent turns them on in each browser. The choice is stored in
 * the browser, and the subscription is registered again whenever the agent connects, because browsers replace subscriptions.
 */
import { forgetPhoneUrl, isPageUrl, keepPhoneUrl } from '../web-push-worker/phone-url.ts';
import { Emitter } from '../agent/emitter.ts';
import { ClarionError } from '../agent/errors.ts';
import type { Link } from '../agent/link.ts';

/** A browser that cannot reach its push service may never settle the subscription. */
export const SUBSCRIBE_TIMEOUT_MS = 20_000;

export interface WebPushOptions {
  /**
   * The URL of the service worker on your own origin: a copy of `web-push-worker.js` from this package, in a folder that no other service
   * worker uses.
   */
  serviceWorkerUrl: string;
  /** The page with the phone, which a click on a notification opens. By default the current page. */
  phoneUrl?: string | undefined;
}

/** What the agent chose in this browser. */
interface Choice {
  serviceWorkerUrl: string;
  phoneUrl: string;
}

export interface WebPushEvents extends Record<string, unknown[]> {
  changed: [];
}

export class WebPush extends Emitter<WebPushEvents> {
  readonly #link: Link;
  #key: string | null = null;
  /** The entry of this agent in localStorage; null before the first session. */
  #entry: string | null = null;
  #subscribed = false;
  /** The key with which the subscription was registered since this page was opened. */
  #registeredFor: string | null = null;
  #last: Promise<unknown> = Promise.resolve();

  /** @internal Use `agent.webPush`. */
  constructor(link: Link) {
    super();
    this.#link = link;
    link.on('message', ({ name, payload }) => {
      if (name !== 'session') return;
      this.#entry = `clarion:web-push:${payload.tenant.ref}:${payload.agent.agentRef}`;
      this.#key = payload.webPushKey;
      this.emit('changed');
      void this.#inOrder(() => this.#registerAgain()).catch(() => undefined); // tried again with the next session
    });
  }

  /** Whether this browser can receive push notifications for this page. Frames of another origin cannot. */
  get supported(): boolean {
    return (
      'serviceWorker' in navigator &&
      'PushManager' in globalThis &&
      'Notification' in globalThis &&
      'caches' in globalThis &&
      !isCrossOriginFrame()
    );
  }
  /** Whether the account has set up web push. */
  get available(): boolean {
    return this.#key !== null;
  }
  /** Whether this page may show notifications. `denied`: only the user can change it, in the settings of the browser. */
  get permission(): NotificationPermission {
    return this.supported ? Notification.permission : 'denied';
  }
  /** Whether calls ring in this browser while the phone is closed. */
  get subscribed(): boolean {
    return this.#subscribed;
  }

  /**
   * Call it in a click handler: the browser may ask for the permission to show notifications.
   * @throws ClarionError web_push_unsupported, web_push_not_set_up, notifications_blocked, web_push_failed; the service's code
   */
  async enable({ serviceWorkerUrl, phoneUrl = location.href }: WebPushOptions): Promise<void> {
    if (!this.supported)
      throw new ClarionError('web_push_unsupported', 'This browser cannot receive calls for this page.');
    if (this.#key === null)
      throw new ClarionError('web_push_not_set_up', 'The account has not set up web push.');
    const choice = { serviceWorkerUrl, phoneUrl: new URL(phoneUrl, location.href).href };
    if (!isPageUrl(choice.phoneUrl)) throw new TypeError('phoneUrl must be an http or https URL.');
    const permission = await Notification.requestPermission();
    if (permission !== 'granted') {
      this.emit('changed');
      throw new ClarionError('notifications_blocked', 'The browser does not allow notifications.');
    }
    await this.#inOrder(async () => {
      await this.#register(choice);
      this.#remember(choice);
    });
  }

  /** Turns it off in this browser. Also does so if the service cannot be reached. */
  async disable(): Promise<void> {
    await this.#inOrder(async () => {
      const choice = this.#chosen();
      this.#remember(null);
      const [told, ended] = await Promise.allSettled([
        this.#link.request('push:unsubscribe', {}),
        choice && unsubscribe(choice),
      ]);
      this.#become(false);
      // Without the browser's subscription the push service rejects the notifications, even if the service was not told.
      if (told.status === 'rejected' && ended.status === 'rejected') throw told.reason;
    });
  }

  /** @internal Turns it off if it is on. Never rejects. */
  async signOut(): Promise<void> {
    if (this.#subscribed || this.#chosen() !== null) await this.disable().catch(() => undefined);
  }

  async #registerAgain(): Promise<void> {
    const choice = this.#chosen();
    if (choice === null || !this.supported || this.#key === null) return this.#become(false);
    if (this.#registeredFor === this.#key) return;
    if (Notification.permission !== 'granted') {
      this.#remember(null);
      this.#become(false);
      await this.#link.request('push:unsubscribe', {});
      return;
    }
    await this.#register(choice);
  }

  async #register({ serviceWorkerUrl, phoneUrl }: Choice): Promise<void> {
    const key = this.#key ?? '';
    const registration = await registeredWorker(serviceWorkerUrl);
    await keepPhoneUrl(registration.scope, phoneUrl);
    const subscription = await subscribe(registration, key);
    const { endpoint = '', keys = {} } = subscription.toJSON();
    const { p256dh = '', auth = '' } = keys;
    await this.#link.request('push:subscribe', { subscription: { endpoint, keys: { p256dh, auth } } });
    this.#registeredFor = key;
    this.#become(true);
  }

  #become(subscribed: boolean): void {
    if (!subscribed) this.#registeredFor = null;
    this.#subscribed = subscribed;
    this.emit('changed');
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Null if the agent has not turned it on, or if storage is not available. */
  #chosen(): Choice | null {
    try {
      return JSON.parse(localStorage.getItem(this.#entry ?? '') ?? 'null') as Choice | null; // written by #remember
    } catch {
      return null;
    }
  }

  #remember(choice: Choice | null): void {
    if (this.#entry === null) return;
    try {
      if (choice === null) localStorage.removeItem(this.#entry);
      else localStorage.setItem(this.#entry, JSON.stringify(choice));
    } catch {
      // The subscription works, but it is not registered again when the page is opened the next time.
    }
  }
}

/** Browsers let neither ask for the permission nor subscribe there. */
function isCrossOriginFrame(): boolean {
  try {
    return top?.location.origin !== location.origin;
  } catch {
    return true;
  }
}

const failed = (message: string, cause: unknown) => new ClarionError('web_push_failed', message, { cause });

async function registeredWorker(url: string): Promise<ServiceWorkerRegistration> {
  try {
    const registration = await navigator.serviceWorker.register(url);
    await activated(registration);
    return registration;
  } catch (error) {
    throw failed(`The service worker ${url} could not be started.`, error);
  }
}

/** A worker without a page in its scope is not what `navigator.serviceWorker.ready` waits for. */
async function activated({ installing, waiting, active }: ServiceWorkerRegistration): Promise<void> {
  const worker = installing ?? waiting;
  if (active || !worker) return;
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (worker.state === 'activated') resolve();
      if (worker.state === 'redundant') reject(new Error('The service worker was discarded.'));
    };
    worker.addEventListener('statechange', check);
    check();
  });
}

/** A subscription is valid for one key: that of the account may have been replaced, or the page may show several accounts. */
async function subscribe({ pushManager }: ServiceWorkerRegistration, key: string): Promise<PushSubscription> {
  try {
    const known = await pushManager.getSubscription();
    if (known && keyOf(known) === key) return known;
    await known?.unsubscribe();
    return await withTimeout(
      pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: bytesOf(key) }),
    );
  } catch (error) {
    throw failed('The browser could not subscribe to push notifications.', error);
  }
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error('The push service of the browser did not respond in time.')),
      SUBSCRIBE_TIMEOUT_MS,
    );
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

async function unsubscribe({ serviceWorkerUrl }: Choice): Promise<void> {
  const registrations = await navigator.serviceWorker.getRegistrations();
  const { href } = new URL(serviceWorkerUrl, location.href);
  for (const { active, waiting, installing, scope, pushManager } of registrations) {
    if (![active, waiting, installing].some((worker) => worker?.scriptURL === href)) continue;
    await forgetPhoneUrl(scope);
    await (await pushManager.getSubscription())?.unsubscribe();
  }
}

function keyOf({ options: { applicationServerKey } }: PushSubscription): string | null {
  if (applicationServerKey === null) return null;
  const chars = Array.from(new Uint8Array(applicationServerKey), (byte) => String.fromCharCode(byte));
  return btoa(chars.join('')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
