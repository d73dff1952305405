/** A simulator of the push services of Apple, Google, OneSignal and browsers. */
export { startPushSimulator, type PushSimulator, type PushSimulatorOptions } from './simulator.ts';
export type { ApnsKey } from './apns.ts';
export type { ServiceAccount } from './google-oauth.ts';
export type { OneSignalApp } from './onesignal.ts';
export type { Subscription } from './web-push.ts';
export type { Received } from './inboxes.ts';
export type { Fault, FaultEffect } from './faults.ts';
export type { ConnectionEnd } from './http2-server.ts';
