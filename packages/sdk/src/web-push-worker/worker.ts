/**
 * The service worker that rings while the phone is closed: shows push notifications, and opens the phone. Built as one classic script
 * without imports; browsers run it only from the origin of the page that uses it.
 */
import { notificationFor, tagOf } from './notification.ts';
import { readPush } from './payload.ts';
import { pageToFocus, readPhoneUrl } from './phone-url.ts';

/** What is used of ServiceWorkerGlobalScope, which TypeScript declares only without the DOM. */
interface PageClient {
  url: string;
  focus(): Promise<unknown>;
}
interface ExtendableEvent extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface WorkerEvents {
  install: ExtendableEvent;
  push: ExtendableEvent & { data: { text(): string } | null };
  notificationclick: ExtendableEvent & { notification: Notification };
}
interface WorkerScope {
  registration: ServiceWorkerRegistration;
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<PageClient[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<K extends keyof WorkerEvents>(name: K, listener: (event: WorkerEvents[K]) => void): void;
}
const worker = globalThis as unknown as WorkerScope;

// A new version takes over immediately: no page depends on the old one.
worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));
worker.addEventListener('push', (event) => event.waitUntil(show(event.data?.text() ?? '')));
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openPhone());
});

async function show(text: string): Promise<void> {
  const push = readPush(text);
  const shown = await worker.registration.getNotifications({ tag: tagOf(push) });
  const before = shown.find(({ data }) => Number.isFinite(data?.sentAt)) ?? null;
  const { title, options } = notificationFor(push, before, Date.now());
  await worker.registration.showNotification(title, options);
}

async function openPhone(): Promise<void> {
  const url = await readPhoneUrl(worker.registration.scope);
  const open = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const page = pageToFocus(open, url);
  await (page ? page.focus() : worker.clients.openWindow(url));
}
