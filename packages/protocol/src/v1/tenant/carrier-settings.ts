/** How calls are exchanged with a carrier: the settings that a trunk and a carrier template have in common. */
import { z } from 'zod';
import { prefixPurposes, trunkDestination, trunkQuirks } from '../../json.ts';
import type { NumberRules, TrunkQuirks } from '../../json.ts';
import { carrierCodecs } from '../../media.ts';
import { shaped } from '../../openapi/input-shape.ts';
import { issueMessage } from '../fields/field-error.ts';
import { integer, optional, required, text, enumField } from '../fields/fields.ts';

export const trunkTransports = ['UDP', 'TCP', 'TLS'] as const;
/** Codecs that a trunk can have, in order of preference. The default is G.711. */
export const trunkCodecs = carrierCodecs;

const HOST_MAX_CHARS = 255;
export const PORT = { min: 1, max: 65_535, default: 5060 };
const MAX_INBOUND_PREFIXES = 20;
const MAX_DESTINATIONS = 8;
/** As in SRV records (RFC 2782). A destination without a priority is used if the trunk's own host cannot take the call. */
const PRIORITY = { min: 0, max: 65_535, default: 1 };
const WEIGHT = { min: 1, max: 65_535, default: 1 };

const isHostname = (host: string) =>
  host.split('.').every((label) => /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label)) && !/^[\d.]+$/.test(host);
export const isAddress = (host: string) => z.union([z.ipv4(), z.ipv6()]).safeParse(host).success;
/** The verb checks that it is public. */
export const host = text(HOST_MAX_CHARS).refine((value) => isHostname(value) || isAddress(value), {
  error: 'must be a host name or an IP address',
});
export const port = integer(PORT.min, PORT.max);

export const digits = (min: number, max: number) =>
  shaped(
    z.preprocess<unknown, z.ZodString, string | number>(
      (value) => (Number.isSafeInteger(value) ? String(value) : value),
      z
        .string()
        .trim()
        .regex(new RegExp(`^\\d{${min},${max}}$`), { error: `must be ${min} to ${max} digits` }),
    ),
    { also: [{ type: 'integer', minimum: 0 }] },
  );

/** Reports an error anywhere inside as an error of the whole field. */
const asOne = <T extends z.ZodType>(inner: T) =>
  z.preprocess<unknown, T, z.input<T>>((value, context) => {
    const [issue] = inner.safeParse(value, { reportInput: true }).error?.issues ?? [];
    if (issue) context.issues.push({ code: 'custom', message: issueMessage(issue), input: value });
    return value;
  }, inner);

export const codecs = asOne(
  z
    .array(enumField(trunkCodecs))
    .max(trunkCodecs.length)
    .transform((list) => [...new Set(list)]),
);

const techPrefix = z
  .string()
  .trim()
  .regex(/^[\d#*]{1,16}$/, { error: 'must be 1 to 16 digits, # or *' });
const inboundPrefixes = z
  .array(z.object({ prefix: required(techPrefix), purpose: required(enumField(prefixPurposes)) }))
  .max(MAX_INBOUND_PREFIXES)
  .refine((list) => new Set(list.map(({ prefix }) => prefix)).size === list.length, {
    error: 'must list each prefix once',
  });
/** An error names `tech_prefixes.inbound`, `.outbound` or `.redirect`. */
export const techPrefixesBody = z
  .object({
    inbound: optional(asOne(inboundPrefixes)).describe(
      'PROCESS: calls whose number begins with the prefix go to the line with the rest of the number. FORWARD and FILTER: to a forwarding rule or call filter of the operator.',
    ),
    outbound: optional(techPrefix).describe('Added before every dialled number.'),
    redirect: optional(techPrefix).describe(
      'Added before the number of a call that a call filter sends back to the carrier.',
    ),
  })
  .transform(({ inbound, outbound, redirect }) => ({
    ...(inbound && { inbound }),
    ...(outbound !== undefined && { outbound }),
    ...(redirect !== undefined && { redirect }),
  }));

const destination = z
  .object({
    host: required(host).describe('A public host name or IP address.'),
    port: optional(port).describe("If omitted, the trunk's port."),
    priority: optional(integer(PRIORITY.min, PRIORITY.max)).describe(
      'Lower priorities are tried first; the host of the trunk has 0. If omitted, 1.',
    ),
    weight: optional(integer(WEIGHT.min, WEIGHT.max)).describe(
      'The share of the calls among destinations of one priority; the host of the trunk has 1. If omitted, 1.',
    ),
  })
  .transform((given) => ({
    host: given.host,
    /** Null: the trunk's port. */
    port: given.port ?? null,
    priority: given.priority ?? PRIORITY.default,
    weight: given.weight ?? WEIGHT.default,
  }));
export const destinationsBody = z.array(destination).max(MAX_DESTINATIONS);

/** The user part of a SIP URI without characters that must be escaped (RFC 3261, section 25.1). */
const SIP_USER = /^[A-Za-z0-9_.!~*+-]{1,64}$/;
const fromDomain = text(HOST_MAX_CHARS).refine(
  (value) => isHostname(value) || z.ipv4().safeParse(value).success,
  { error: 'must be a host name or an IPv4 address' },
);
const fromUser = shaped(
  z.string().trim().regex(SIP_USER, { error: 'must be at most 64 letters, digits and _ . ! ~ * + -' }),
  { more: { minLength: 1, maxLength: 64, pattern: SIP_USER.source } },
);

/** Whatever is omitted is off. */
export const quirksBody = z
  .object({
    caller_id_plus: optional(z.boolean()).describe('Send the caller ID as `+44…` instead of `44…`.'),
    called_plus: optional(z.boolean()).describe('Send the called number as `+44…` instead of `44…`.'),
    national_outbound: optional(z.boolean()).describe(
      'Send called numbers of `country_code` in national form, after `national_prefix`.',
    ),
    from_domain: optional(fromDomain).describe(
      'The host of From and P-Asserted-Identity instead of the address of the service.',
    ),
    from_user: optional(fromUser).describe(
      'The user of From instead of the caller ID, which is then sent in P-Asserted-Identity only.',
    ),
    user_phone: optional(z.boolean()).describe('Add `;user=phone` to the request URI and to From.'),
    no_asserted_identity: optional(z.boolean()).describe('Do not send P-Asserted-Identity.'),
    hide_caller_id: optional(z.boolean()).describe(
      'Withhold the caller ID from the called person: From is anonymous, with `Privacy: id`.',
    ),
    no_header_extensions: optional(z.boolean()).describe('Send no RTP header extensions.'),
    no_early_media: optional(z.boolean()).describe(
      'Ignore audio before the answer; the agent hears a ringback tone.',
    ),
    use_srv: optional(z.boolean()).describe('Look up the SRV records of the host instead of using its port.'),
  })
  .transform((given): TrunkQuirks => {
    const { from_domain: domain, from_user: user } = given;
    return {
      ...(given.caller_id_plus && { callerIdPlus: true }),
      ...(given.called_plus && { calledPlus: true }),
      ...(given.national_outbound && { nationalOutbound: true }),
      ...(domain !== undefined && { fromDomain: domain.toLowerCase() }),
      ...(user !== undefined && { fromUser: user }),
      ...(given.user_phone && { userPhone: true }),
      ...(given.no_asserted_identity && { noAssertedIdentity: true }),
      ...(given.hide_caller_id && { hideCallerId: true }),
      ...(given.no_header_extensions && { noHeaderExtensions: true }),
      ...(given.no_early_media && { noEarlyMedia: true }),
      ...(given.use_srv && { useSrv: true }),
    };
  });

interface Dependent {
  transport: (typeof trunkTransports)[number];
  numberRules: NumberRules | null;
  quirks: TrunkQuirks;
  srtp: boolean;
}

/** The rules between settings, which apply once those of a template have been filled in. Null: they are consistent. */
export function settingsConflict(settings: Dependent): { field: string; message: string } | null {
  if (settings.srtp && settings.transport !== 'TLS')
    return { field: 'srtp', message: 'requires transport TLS: its keys are part of the signalling' };
  if (settings.quirks.nationalOutbound && settings.numberRules === null)
    return { field: 'quirks.national_outbound', message: 'requires country_code' };
  return null;
}

/** What a trunk and a template show of it. */
export const carrierSettingsShape = {
  host: z.string(),
  port: z.number().int(),
  transport: z.enum(trunkTransports),
  inboundSourceCidrs: z.array(z.string()),
  numberRules: z
    .strictObject({ country_code: z.string(), national_prefix: z.string().optional() })
    .nullable(),
  /** Null means G.711. */
  codecs: z.array(z.string()).nullable(),
  /** Further addresses for outbound calls, by priority and weight. */
  destinations: z.array(z.strictObject(trunkDestination.shape)),
  /** Whether the service registers with the carrier. */
  register: z.boolean(),
  /** Whether audio is encrypted. */
  srtp: z.boolean(),
  /** Only the settings that are on. */
  quirks: z.strictObject(trunkQuirks.shape),
};
