/**
 * WhatsApp ingress: the platform's webhooks, as they are forwarded to us or sent directly. What is a
 * call in them is read tolerantly, since the platform adds fields and spells things in more than one way; the rest is ignored.
 */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';

/** Any JSON is taken: whether there is a call in it, its reader finds out. What the platform sends is an object. */
const whatsAppWebhook = shaped(z.unknown(), {
  is: {
    type: 'object',
    description:
      'The webhook body from the WhatsApp platform, either byte for byte or parsed and serialised again.',
    additionalProperties: true,
  },
});

/** The call part of a webhook as it is stored: what the platform said of one call, without anything of messages. */
export const storedWhatsAppCall = z.object({
  id: z.string(),
  /** connect and terminate are the call's own events; status is how a call of the business fares. */
  event: z.enum(['connect', 'terminate', 'status']),
  direction: z.enum(['USER_INITIATED', 'BUSINESS_INITIATED']).nullable(),
  /** Digits, as sent. Absent where the person uses a user name; then only the user id is there. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The platform's id of the person towards this business. */
  userId: z.string().nullable(),
  /** The person's profile name. */
  name: z.string().nullable(),
  sdp: z.object({ type: z.enum(['offer', 'answer']), text: z.string() }).nullable(),
  /** Of a status: RINGING, ACCEPTED or REJECTED; of a terminate: COMPLETED or FAILED. Upper case. */
  status: z.string().nullable(),
  /** Seconds since the epoch. */
  startTime: z.number().nullable(),
  endTime: z.number().nullable(),
  durationSeconds: z.number().nullable(),
  /** What we gave the call when we placed it. */
  opaqueData: z.string().nullable(),
  ctaPayload: z.string().nullable(),
  deeplinkPayload: z.string().nullable(),
  errors: z.array(z.object({ code: z.number(), message: z.string(), details: z.string().nullable() })),
});
export type StoredWhatsAppCall = z.infer<typeof storedWhatsAppCall>;

export const whatsAppEndpoints = {
  forwardWhatsApp: defineEndpoint({
    method: 'POST',
    path: '/v1/webhooks/whatsapp/forward',
    summary:
      'Receives webhook JSON from the WhatsApp platform, forwarded unchanged. Calls on your own channels are processed; everything else is ignored. Returns 200 with an empty body.',
    body: whatsAppWebhook,
    anyJson: true,
    answer: { status: 200 },
    errors: [],
    role: 'provision',
    oneTenantSession: false,
    example: {
      body: {
        object: 'whatsapp_business_account',
        entry: [
          {
            id: '102290129340398',
            changes: [
              {
                field: 'calls',
                value: {
                  messaging_product: 'whatsapp',
                  metadata: { display_phone_number: '447700900123', phone_number_id: '436666719526789' },
                  contacts: [{ profile: { name: 'Ana' }, wa_id: '12185552828' }],
                  calls: [
                    {
                      id: 'wacid.HBgLMTIxODU1NTI4MjgVAgASGCAzQTcA',
                      from: '12185552828',
                      to: '447700900123',
                      event: 'connect',
                      timestamp: '1767603600',
                      direction: 'USER_INITIATED',
                      session: { sdp_type: 'offer', sdp: 'v=0\r\n…' },
                    },
                  ],
                },
              },
            ],
          },
        ],
      },
    },
  }),
};
