/**
 * What headless Chromium lacks for push notifications: a push service to subscribe to, and notifications. Everything else is real: service
 * workers, their storage, and the delivery of a push to them (DevTools protocol).
 */
import type { BrowserContext, Page, Worker } from 'playwright-core';

/** The endpoint of every subscription: a literal address, so that checking it needs no DNS. */
export const PUSH_ENDPOINT = 'https://93.184.215.14/send/';

export interface PushPlatform {
  /** What the user answers when the browser asks for the permission. */
  answers?: NotificationPermission;
  /** False: the browser never hears from its push service. */
  subscribes?: boolean;
}

/** Replaces the permission and the subscription of a page. Call it before the page is opened. */
export async function installPushPlatform(
  page: Page,
  { answers = 'granted', subscribes = true }: PushPlatform = {},
): Promise<void> {
  await page.addInitScript(
    ({ answer, responds, endpoint }) => {
      const store = {
        get: (name: string) => localStorage.getItem(`platform:${name}`),
        set: (name: string, value: string) => localStorage.setItem(`platform:${name}`, value),
      };
      Object.defineProperty(Notification, 'permission', { get: () => store.get('permission') ?? 'default' });
      Notification.requestPermission = () => {
        store.set('permission', answer);
        return Promise.resolve(answer);
      };
      const subscription = (): PushSubscription | null => {
        const key = store.get('key');
        if (!key) return null;
        const keys = { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) };
        return {
          endpoint: endpoint + store.get('count'),
          expirationTime: null,
          options: {
            applicationServerKey: Uint8Array.from(key.split(','), Number).buffer,
            userVisibleOnly: true,
          },
          getKey: () => null,
          toJSON: () => ({ endpoint: endpoint + store.get('count'), keys }),
          unsubscribe: () => {
            store.set('key', '');
            return Promise.resolve(true);
          },
        };
      };
      PushManager.prototype.getSubscription = () => Promise.resolve(subscription());
      PushManager.prototype.subscribe = (options) => {
        if (!responds) return new Promise(() => undefined);
        store.set('key', String(options?.applicationServerKey));
        store.set('count', String(Number(store.get('count') ?? 0) + 1));
        return Promise.resolve(subscription() as PushSubscription);
      };
    },
    { answer: answers, responds: subscribes, endpoint: PUSH_ENDPOINT },
  );
}

/** Runs in a service worker before its own script: notifications are kept in `shown` instead. */
export const workerPlatform = `
  self.shown = [];
  self.opened = [];
  ServiceWorkerRegistration.prototype.showNotification = async (title, options) => {
    if (options.silent && options.renotify) throw new TypeError('A silent notification cannot be announced again.');
    self.shown = self.shown.filter(({ tag }) => tag !== options.tag).concat({ title, ...options });
  };
  ServiceWorkerRegistration.prototype.getNotifications = async ({ tag }) =>
    self.shown.filter((one) => one.tag === tag);
  Clients.prototype.openWindow = async (url) => void self.opened.push(url);
`;

/** The service worker of a context that runs this script. */
export async function workerOf(context: BrowserContext, path: string): Promise<Worker> {
  const isIt = (worker: Worker) => new URL(worker.url()).pathname === path;
  return context.serviceWorkers().find(isIt) ?? context.waitForEvent('serviceworker', isIt);
}

/** Delivers a push to the service workers of the page's origin, as the browser's push service does. */
export async function deliverPush(page: Page, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const found = new Promise<string>((resolve) => {
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (first) resolve(first.registrationId);
    });
  });
  await session.send('ServiceWorker.enable');
  const { origin } = new URL(page.url());
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await found, data });
  await session.detach();
}
