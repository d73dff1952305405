/** What the service sends to a consumer's webhook: one entry per event type. */
import { envelope, eventData, eventTypes, isRecorded, signatureHeader } from '../events.ts';
import { pascalCase } from './component-names.ts';
import type { JsonSchema } from './input-shape.ts';
import { toJsonSchema } from './json-schema.ts';
import type { ComponentNames } from './json-schema.ts';

const text = { schema: { type: 'string' }, in: 'header', required: true };
const headers = [
  {
    ...text,
    name: signatureHeader,
    description:
      '`t=<unix seconds>,v1=<hex>`: HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole webhook secret. For 24 hours after a rotation there are two `v1`: any of them may fit.',
  },
  { ...text, name: 'webhook-id', description: 'Standard Webhooks: the event_id.' },
  { ...text, name: 'webhook-timestamp', description: 'Standard Webhooks: unix seconds.' },
  {
    ...text,
    name: 'webhook-signature',
    description:
      'Standard Webhooks: `v1,<base64>`, keyed with the decoded bytes of the secret (what follows `whsec_`).',
  },
];

const response =
  'Any 2xx within 10 seconds. Anything else is tried again: after 5 s, 15 s, 1 min, 5 min, 15 min, 30 min, then hourly, 12 attempts in all.';

export function webhooksOf(names: ComponentNames): {
  webhooks: Record<string, object>;
  components: Record<string, JsonSchema>;
} {
  const { schema: whole, components } = toJsonSchema(envelope, names);
  const all: Record<string, JsonSchema> = { ...components, EventEnvelope: whole };
  const webhooks = eventTypes.map((type): [string, object] => {
    const data = toJsonSchema(eventData[type], names);
    Object.assign(all, data.components);
    return [
      type,
      {
        post: {
          operationId: `on${pascalCase(type)}`,
          tags: ['events'],
          summary: type,
          description: isRecorded(type)
            ? 'At least once: de-duplicate on event_id, and answer before processing.'
            : 'Planned: the type may be chosen, and nothing sends it yet.',
          ...(!isRecorded(type) && { 'x-planned': true }),
          security: [],
          parameters: headers,
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  allOf: [
                    { $ref: '#/components/schemas/EventEnvelope' },
                    { properties: { event_type: { const: type }, data: data.schema } },
                  ],
                },
              },
            },
          },
          responses: { '2XX': { description: response } },
        },
      },
    ];
  });
  return { webhooks: Object.fromEntries(webhooks), components: all };
}
