/** The permission of a customer to be called from a WhatsApp line, and the request for it. */
import { z } from 'zod';
import { addressTypes } from '../../enums.ts';
import { defineEndpoint } from '../endpoint.ts';
import { ref, required, text, timestamp } from '../fields/fields.ts';
import { CUSTOMER_ADDRESS_MAX_CHARS } from './calls.ts';

/**
 * UNKNOWN: nothing has been reported. NONE: WhatsApp reports that there is none. DECLINED: the customer refused the request. REVOKED: there
 * was one. EXPIRED: it was temporary.
 */
export const whatsAppPermissionStatuses = [
  'UNKNOWN',
  'NONE',
  'TEMPORARY',
  'PERMANENT',
  'EXPIRED',
  'DECLINED',
  'REVOKED',
] as const;
export type WhatsAppPermissionStatus = (typeof whatsAppPermissionStatuses)[number];

export const permissionRequestStatuses = ['PENDING', 'SENT', 'FAILED'] as const;
export type PermissionRequestStatus = (typeof permissionRequestStatuses)[number];

/** WhatsApp's limit for the text of an interactive message. */
export const PERMISSION_TEXT_MAX_CHARS = 1024;

export const whatsAppPermissionResource = z
  .strictObject({
    channelRef: z.string(),
    customer: z.strictObject({
      address: z.string(),
      addressType: z.enum(addressTypes),
      /** The business-scoped user ID; null while it is not known. */
      userId: z.string().nullable(),
    }),
    status: z.enum(whatsAppPermissionStatuses),
    canCall: z.boolean(),
    expiresAt: timestamp.nullable(),
    unansweredCalls: z.number().int(),
    /** The latest request with POST; null if there was none. */
    request: z
      .strictObject({
        status: z.enum(permissionRequestStatuses),
        requestedAt: timestamp,
        failure: z
          .strictObject({ providerCode: z.number().int().nullable(), message: z.string() })
          .nullable(),
      })
      .nullable(),
    changedAt: timestamp.nullable(),
  })
  .meta({ id: 'WhatsAppPermission' });
export type WhatsAppPermissionResource = z.infer<typeof whatsAppPermissionResource>;

const channelRef = required(ref).describe('A WhatsApp channel of the tenant.');
const address = required(text(CUSTOMER_ADDRESS_MAX_CHARS)).describe(
  'The WhatsApp number of the customer, with or without `+` or `00`, or the business-scoped user ID, such as `US.1349`.',
);

export const getWhatsAppPermissionQuery = z
  .object({ channel_ref: channelRef, address })
  .transform((query) => ({ channelRef: query.channel_ref, address: query.address }));
export type GetWhatsAppPermission = z.output<typeof getWhatsAppPermissionQuery>;

export const requestWhatsAppPermissionBody = z
  .object({
    channel_ref: channelRef,
    address,
    text: required(text(PERMISSION_TEXT_MAX_CHARS)).describe(
      'The text of the message that asks the customer.',
    ),
  })
  .transform((body) => ({ channelRef: body.channel_ref, address: body.address, text: body.text }));
export type RequestWhatsAppPermission = z.output<typeof requestWhatsAppPermissionBody>;

const example: WhatsAppPermissionResource = {
  channelRef: 'whatsapp',
  customer: { address: '+12185552828', addressType: 'WHATSAPP_USER', userId: 'US.1349' },
  status: 'TEMPORARY',
  canCall: true,
  expiresAt: '2026-01-12T09:00:00.000Z',
  unansweredCalls: 0,
  request: { status: 'SENT', requestedAt: '2026-01-05T08:59:00.000Z', failure: null },
  changedAt: '2026-01-05T09:00:00.000Z',
};
const path = '/v1/tenants/{tenantRef}/customers/whatsapp-permission';
const answerBody = z.strictObject({ permission: whatsAppPermissionResource });

export const whatsAppPermissionEndpoints = {
  getWhatsAppPermission: defineEndpoint({
    method: 'GET',
    path,
    summary:
      'Returns whether a customer has allowed calls from a WhatsApp channel, as known from the webhooks of WhatsApp and from earlier calls. canCall is true for a permission that has not expired. Calls without one are placed all the same, and WhatsApp refuses those that are not allowed.',
    query: getWhatsAppPermissionQuery,
    answer: { status: 200, body: answerBody },
    errors: ['not_found', 'unsupported_channel'],
    role: 'view',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      query: 'channel_ref=whatsapp&address=%2B12185552828',
      answer: { permission: example },
    },
  }),
  requestWhatsAppPermission: defineEndpoint({
    method: 'POST',
    path,
    summary:
      'Asks a customer to allow calls from a WhatsApp channel: sends a message to which they reply with a tap. It is sent after the response; request.status shows the result. WhatsApp delivers it only within 24 hours after a message of the customer, and limits requests to one a day and two a week. The reply arrives as the event whatsapp.permission_changed.',
    body: requestWhatsAppPermissionBody,
    answer: { status: 202, body: answerBody },
    errors: [
      'not_found',
      'tenant_suspended',
      'channel_disabled',
      'unsupported_channel',
      'idempotency_key_in_use',
      'idempotency_key_reused',
    ],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      body: { channel_ref: 'whatsapp', address: '+12185552828', text: 'May we call you about your order?' },
      answer: {
        permission: {
          ...example,
          status: 'UNKNOWN',
          canCall: false,
          expiresAt: null,
          request: { status: 'PENDING', requestedAt: '2026-01-05T08:59:00.000Z', failure: null },
          changedAt: null,
        },
      },
    },
  }),
};
