/** Numbers of SIP lines on their trunks. Saving a line assigns one; they are not created directly. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id, optional, ref, timestamp, enumField } from '../fields/fields.ts';

/** AVAILABLE and PORTING are reserved for later use. */
export const numberStatuses = ['ASSIGNED', 'RELEASED', 'AVAILABLE', 'PORTING'] as const;
export const numberOrigins = ['BYOC', 'PLATFORM'] as const;

export const listNumbersQuery = z
  .object({ status: optional(enumField(numberStatuses)), tenant_ref: optional(ref) })
  .transform(({ status, tenant_ref }) => ({ status: status ?? null, tenantRef: tenant_ref ?? null }));
export type ListNumbers = z.output<typeof listNumbersQuery>;

export const numberResource = z
  .strictObject({
    id,
    /** E.164. */
    number: z.string(),
    sipTrunkId: id,
    trunkName: z.string(),
    origin: z.enum(numberOrigins),
    status: z.enum(numberStatuses),
    tenantRef: z.string().nullable(),
    channelRef: z.string().nullable(),
    verifiedAt: timestamp.nullable(),
    createdAt: timestamp,
    releasedAt: timestamp.nullable(),
  })
  .meta({ id: 'PhoneNumber' });
export type NumberResource = z.infer<typeof numberResource>;

export const numberEndpoints = {
  listNumbers: defineEndpoint({
    method: 'GET',
    path: '/v1/numbers',
    summary:
      'Lists the numbers of SIP channels. A number is RELEASED when its channel is deleted or assigned another number.',
    query: listNumbersQuery,
    answer: { status: 200, body: z.strictObject({ numbers: z.array(numberResource) }) },
    errors: ['not_found'],
    role: 'view',
    oneTenantSession: true,
    example: {
      query: 'status=ASSIGNED&tenant_ref=acme',
      answer: {
        numbers: [
          {
            id: 4,
            number: '+442071838750',
            sipTrunkId: 7,
            trunkName: 'carrier-uk',
            origin: 'BYOC',
            status: 'ASSIGNED',
            tenantRef: 'acme',
            channelRef: 'main',
            verifiedAt: null,
            createdAt: '2026-01-05T09:00:00.000Z',
            releasedAt: null,
          },
        ],
      },
    },
  }),
};
