/**
 * WhatsApp ingress: the platform's webhooks, forwarded by the consumer or sent directly. Calls in them are parsed tolerantly, because the
 * platform adds fields and has several formats for the same data; everything else is ignored.
 */
import { z } from 'zod';
import { shaped } from '../../openapi/input-shape.ts';
import { defineEndpoint } from '../endpoint.ts';

/** Any JSON is accepted; the parser looks for calls in it. The platform sends objects. */
const whatsAppWebhook = shaped(z.unknown(), {
  is: {
    type: 'object',
    description:
      'The webhook body from the WhatsApp platform, either byte for byte or parsed and serialised again.',
    additionalProperties: true,
  },
});

/** The stored part of a webhook: the data of one call, without messages. */
export const storedWhatsAppCall = z.object({
  id: z.string(),
  /** connect and terminate: the call began or ended. status: the progress of an outbound call. */
  event: z.enum(['connect', 'terminate', 'status']),
  direction: z.enum(['USER_INITIATED', 'BUSINESS_INITIATED']).nullable(),
  /** Digits, as sent. Absent for users with a user name, of whom only the user ID is sent. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The platform's ID of the user, specific to this business. */
  userId: z.string().nullable(),
  /** The user's profile name. */
  name: z.string().nullable(),
  sdp: z.object({ type: z.enum(['offer', 'answer']), text: z.string() }).nullable(),
  /** In uppercase. status: RINGING, ACCEPTED or REJECTED; terminate: COMPLETED or FAILED. */
  status: z.string().nullable(),
  /** Seconds since the epoch. */
  startTime: z.number().nullable(),
  endTime: z.number().nullable(),
  durationSeconds: z.number().nullable(),
  /** The opaque data that was sent when the call was placed. */
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
      'Receives webhook JSON from the WhatsApp platform, forwarded unchanged. Calls on your own channels are processed; everything else is ignored. The response is a status without a body, also if the request fails.',
    body: whatsAppWebhook,
    anyJson: true,
    bareErrors: true,
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
