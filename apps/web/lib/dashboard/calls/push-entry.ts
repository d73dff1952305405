/** A push notification in the timeline of a call. Pure. */
import { credentialsOfToken, explainPushReason } from '@clarion/protocol/push-reasons';
import type { CallDetail, TimelineEntry } from './timeline.ts';

type Metadata = NonNullable<CallDetail['events'][number]['metadata']>;

const DEVICES: Readonly<Record<string, string>> = { ANDROID: 'Android phone', IOS: 'iPhone', WEB: 'browser' };
const FAILURES: Readonly<Record<string, string>> = {
  INCOMING: 'woken',
  WITHDRAWN: 'told that the call no longer rings',
  MISSED: 'notified of the missed call',
};

export interface PushEntry {
  title: string;
  failed: boolean;
  more: Partial<TimelineEntry>;
}

/** Null: not worth an entry. That a call no longer rings is shown by the entry that says why. */
export function pushEntry(metadata: Metadata, agent: string | null): PushEntry | null {
  const { kind, platform, result } = metadata;
  const device = `${agent ?? 'An agent'}’s ${lookUp(DEVICES, platform) ?? 'device'}`;
  if (result !== 'SENT') {
    const title = `${device} could not be ${lookUp(FAILURES, kind) ?? 'notified'}`;
    return { title, failed: true, more: { tone: 'warning', detail: cause(metadata) } };
  }
  if (kind === 'WITHDRAWN') return null;
  const title =
    kind === 'MISSED'
      ? `${device} shows the missed call`
      : `Pushed to ${device.replace(/^An agent/, 'an agent')}`;
  return { title, failed: false, more: {} };
}

function cause({ provider, result, reason, httpStatus }: Metadata): string {
  if (result === 'UNKNOWN') return 'The service was interrupted while it was sent, so it may have arrived.';
  const credentials = lookUp(credentialsOfToken, provider);
  if (typeof reason !== 'string' || credentials === null) return 'It could not be sent in time.';
  return explainPushReason(credentials, {
    reason,
    ...(typeof httpStatus === 'number' && { httpStatus }),
  });
}

function lookUp<T>(table: Readonly<Record<string, T>>, name: unknown): T | null {
  return typeof name === 'string' && Object.hasOwn(table, name) ? (table[name] ?? null) : null;
}
