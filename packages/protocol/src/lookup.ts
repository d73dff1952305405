/** The lookup hook (docs/requirements.md#events): the request about an inbound caller, and the response of the consumer's backend. */
import { z } from 'zod';
import { addressTypes } from './enums.ts';
import { storableText } from './storable-text.ts';

export const lookupRequest = z.strictObject({
  tenant_ref: z.string(),
  caller: z.strictObject({
    /** `anonymous` when the number is withheld. */
    address: z.string().nullable(),
    address_type: z.enum(addressTypes),
    withheld: z.boolean(),
  }),
  channel_ref: z.string(),
  /** The address of the line. */
  called: z.string(),
  call_id: z.number().int(),
});
export type LookupRequest = z.infer<typeof lookupRequest>;

const NAME_MAX_CHARS = 255;
const EXTERNAL_REF_MAX_CHARS = 191;

const optionalText = (maxChars: number) =>
  z
    .string()
    .transform((text) => storableText(text).trim())
    .pipe(z.string().min(1).max(maxChars))
    .nullable()
    .catch(null);

/** A missing or invalid field is ignored, and the other fields are used. */
export const lookupResponse = z
  .object({
    name: optionalText(NAME_MAX_CHARS),
    external_ref: optionalText(EXTERNAL_REF_MAX_CHARS),
    action: z
      .string()
      .transform((text) => (text.trim().toLowerCase() === 'reject' ? ('reject' as const) : null))
      .nullable()
      .catch(null),
  })
  .transform(({ name, external_ref, action }) => ({
    name,
    externalRef: external_ref,
    reject: action === 'reject',
  }));
export type LookupResponse = z.output<typeof lookupResponse>;
