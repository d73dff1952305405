/** The body of a webhook POST, and its signature. Pure. */
import { createHmac } from 'node:crypto';
import type { Post, WebhookEvent } from './schedule.ts';

export function payloadOf({ events, shape }: Pick<Post, 'events' | 'shape'>): object {
  return { object: 'whatsapp_business_account', entry: entriesOf(events, shape) };
}

function entriesOf(events: readonly WebhookEvent[], shape: Post['shape']): object[] {
  const changeOf = ({ field, value }: WebhookEvent): object => ({ value, field });
  if (shape === 'entries') return events.map((event) => ({ id: event.wabaId, changes: [changeOf(event)] }));
  return groupBy(events, ({ wabaId }) => wabaId).map(([wabaId, those]) => ({
    id: wabaId,
    changes:
      shape === 'changes'
        ? those.map(changeOf)
        : groupBy(those, ({ field, value }) => `${field} ${JSON.stringify(metadataOf(value))}`).map(
            ([, same]) => ({ value: mergeValues(same.map(({ value }) => value)), field: same[0]?.field }),
          ),
  }));
}

const metadataOf = (value: object): unknown => ('metadata' in value ? value.metadata : null);

/** Lists (`calls`, `statuses`, `contacts`, `errors`) are concatenated; the rest is the same in all of them. */
function mergeValues(values: readonly object[]): object {
  const merged: Record<string, unknown> = {};
  for (const value of values)
    for (const [name, content] of Object.entries(value)) {
      const before = merged[name];
      merged[name] =
        Array.isArray(before) && Array.isArray(content) ? [...(before as unknown[]), ...content] : content;
    }
  return merged;
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): [string, T[]][] {
  return [...Map.groupBy(items, keyOf)];
}

/** The value of `X-Hub-Signature-256`, over the bytes of the body. */
export const signatureOf = (body: string, appSecret: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(body, 'utf8').digest('hex')}`;
