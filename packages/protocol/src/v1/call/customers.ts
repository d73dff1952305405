/** Erasing a customer from all ended calls (docs/requirements.md#deletion). */
import { z } from 'zod';
import { isWithheldAddress } from '../../withheld.ts';
import { CUSTOMER_ADDRESS_MAX_CHARS } from './calls.ts';
import { defineEndpoint } from '../endpoint.ts';
import { required, text } from '../fields/fields.ts';

export const eraseCustomerBody = z
  .object({
    address: required(text(CUSTOMER_ADDRESS_MAX_CHARS)).describe(
      '`anonymous` is not accepted, because calls with withheld numbers do not belong to one customer.',
    ),
  })
  .refine(({ address }) => !isWithheldAddress(address), {
    path: ['address'],
    error: 'must be an address; calls with withheld numbers do not belong to one customer',
  });
export type EraseCustomer = z.output<typeof eraseCustomerBody>;

export const erasureResource = z.strictObject({
  /** Ended calls from which the customer was erased by this request. */
  callsErased: z.number().int(),
  recordingsDeleted: z.number().int(),
  /** The customer's calls that have not ended. Repeat the request when they have. */
  activeCallsSkipped: z.number().int(),
});
export type Erasure = z.infer<typeof erasureResource>;

export const customerEndpoints = {
  eraseCustomer: defineEndpoint({
    method: 'POST',
    path: '/v1/tenants/{tenantRef}/customers/erase',
    summary:
      'Erases a customer from all ended calls: the address, name, references, lifecycle log, key presses, recordings and events. The calls themselves are kept and still count in reports. The request is safe to repeat.',
    body: eraseCustomerBody,
    answer: { status: 200, body: erasureResource },
    errors: ['not_found', 'storage_unavailable', 'idempotency_key_in_use', 'idempotency_key_reused'],
    role: 'manage',
    oneTenantSession: true,
    example: {
      path: { tenantRef: 'acme' },
      body: { address: '+442079460123' },
      answer: { callsErased: 12, recordingsDeleted: 4, activeCallsSkipped: 0 },
    },
  }),
};
