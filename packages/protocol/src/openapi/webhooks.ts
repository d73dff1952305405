/** The webhooks of the document: one entry per event type. */
import { envelope, eventData, eventTypes, signatureHeader } from '../events.ts';
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
      '`t=<unix seconds>,v1=<hex>`: the HMAC-SHA256 of `<t>.<raw body>`, keyed with the whole webhook secret. For 24 hours after a rotation there are two `v1` values; accept the event if either one matches.',
  },
  { ...text, name: 'webhook-id', description: 'The event_id, for Standard Webhooks.' },
  {
    ...text,
    name: 'webhook-timestamp',
    description: 'The time of sending in Unix seconds, for Standard Webhooks.',
  },
  {
    ...text,
    name: 'webhook-signature',
    description:
      'The signature for Standard Webhooks: `v1,<base64>`, keyed with the decoded bytes of the secret (the part after `whsec_`).',
  },
];

const response =
  'Any 2xx status within 10 seconds. Otherwise the event is sent again after 5 s, 15 s, 1 min, 5 min, 15 min and 30 min, then hourly, up to 12 attempts in total.';

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
          description:
            'Delivered at least once. De-duplicate on event_id, and respond before you process the event.',
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
