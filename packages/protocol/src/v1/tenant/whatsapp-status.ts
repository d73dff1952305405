/** What WhatsApp reports about a WhatsApp line, as a checklist of what calls need. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { timestamp } from '../fields/fields.ts';

/** In the order of the checklist: what calls cannot work without comes first. */
export const whatsAppChecks = [
  'ACCESS_TOKEN',
  'NUMBER',
  'CALLING',
  'WEBHOOK',
  'CALL_ICON',
  'CALLBACK_PERMISSION',
] as const;
export type WhatsAppCheck = (typeof whatsAppChecks)[number];

/** WARNING: calls work, with a limitation. FAILED: calls cannot work. UNKNOWN: it could not be checked. */
export const whatsAppCheckStates = ['OK', 'WARNING', 'FAILED', 'UNKNOWN'] as const;
export type WhatsAppCheckState = (typeof whatsAppCheckStates)[number];

const whatsAppCheckResult = z
  .strictObject({
    check: z.enum(whatsAppChecks),
    state: z.enum(whatsAppCheckStates),
    message: z.string(),
    /** What to do next; null: nothing. */
    fix: z.string().nullable(),
  })
  .meta({ id: 'WhatsAppCheck' });
export type WhatsAppCheckResult = z.infer<typeof whatsAppCheckResult>;

export const whatsAppStatusResource = z
  .strictObject({
    channelRef: z.string(),
    /** When WhatsApp was asked. */
    checkedAt: timestamp,
    /** Null: WhatsApp did not report it. */
    displayPhoneNumber: z.string().nullable(),
    verifiedName: z.string().nullable(),
    lastWebhookAt: timestamp.nullable(),
    checks: z.array(whatsAppCheckResult),
  })
  .meta({ id: 'WhatsAppStatus' });
export type WhatsAppStatusResource = z.infer<typeof whatsAppStatusResource>;

const ok = (check: WhatsAppCheck, message: string): WhatsAppCheckResult => ({
  check,
  state: 'OK',
  message,
  fix: null,
});

export const whatsAppStatusEndpoints = {
  getWhatsAppStatus: defineEndpoint({
    method: 'GET',
    path: '/v1/tenants/{tenantRef}/channels/{channelRef}/whatsapp-status',
    summary:
      'Asks WhatsApp about the number of a WhatsApp channel and returns a checklist: whether the access token works, which number it is, whether calling is enabled, whether webhooks of calls arrive, and settings that customers notice. It takes up to 5 seconds; what WhatsApp does not report in time is UNKNOWN. An answer of WhatsApp is used for 10 seconds. Use it to set up a line and to find out why calls fail, not to monitor lines.',
    answer: { status: 200, body: z.strictObject({ whatsAppStatus: whatsAppStatusResource }) },
    errors: ['not_found', 'unsupported_channel'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme', channelRef: 'whatsapp' },
      answer: {
        whatsAppStatus: {
          channelRef: 'whatsapp',
          checkedAt: '2026-01-05T09:00:00.000Z',
          displayPhoneNumber: '+44 7700 900123',
          verifiedName: 'Acme',
          lastWebhookAt: '2026-01-05T08:41:12.000Z',
          checks: [
            ok('ACCESS_TOKEN', 'WhatsApp accepts the access token.'),
            ok('NUMBER', 'The number is +44 7700 900123 with the verified name Acme.'),
            ok('CALLING', 'Calling is enabled for the number.'),
            ok('WEBHOOK', 'A webhook of a call arrived in the last 7 days.'),
            {
              check: 'CALL_ICON',
              state: 'WARNING',
              message: 'Customers do not see the call button in the chat with the number.',
              fix: 'Show the call button in the call settings of the number in the WhatsApp Manager.',
            },
            ok('CALLBACK_PERMISSION', 'WhatsApp asks customers who call whether you may call them back.'),
          ],
        },
      },
    },
  }),
};
