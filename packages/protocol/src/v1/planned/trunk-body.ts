/** The body of a consumer's own trunk. The verb checks that addresses are public. */
import { z } from 'zod';
import { prefixPurposes } from '../../json.ts';
import { shaped } from '../../openapi/input-shape.ts';
import { issueMessage } from '../fields/field-error.ts';
import {
  integer,
  MAX_INTEGER,
  optional,
  optionalOrNull,
  orDefault,
  orNull,
  required,
  text,
  enumField,
} from '../fields/fields.ts';
import { trunkTransports } from '../tenant/trunks.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const HOST_MAX_CHARS = 255;
const PORT = { min: 1, max: 65_535, default: 5060 };
const MAX_SOURCES = 20;
/** The widest allowed source ranges (docs/requirements.md#limits). */
const WIDEST_IPV4_PREFIX = 24;
const WIDEST_IPV6_PREFIX = 48;
const CREDENTIAL_MAX_CHARS = 128;
const MAX_INBOUND_PREFIXES = 20;
/** Codecs that a trunk can offer, in order of preference. The default is G.711. */
export const trunkCodecs = ['PCMA', 'PCMU', 'G722', 'OPUS'] as const;

const isHostname = (host: string) =>
  host.split('.').every((label) => /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/.test(label)) && !/^[\d.]+$/.test(host);
const isAddress = (host: string) => z.union([z.ipv4(), z.ipv6()]).safeParse(host).success;
const host = text(HOST_MAX_CHARS).refine((value) => isHostname(value) || isAddress(value), {
  error: 'must be a host name or an IP address',
});

const isSource = (source: string) => {
  if (isAddress(source)) return true;
  const bits = Number(source.split('/')[1]);
  return (
    (z.cidrv4().safeParse(source).success && bits >= WIDEST_IPV4_PREFIX) ||
    (z.cidrv6().safeParse(source).success && bits >= WIDEST_IPV6_PREFIX)
  );
};
const sourceList = z
  .array(
    z
      .string()
      .trim()
      .refine(isSource, {
        error: `must be an IP address or a CIDR range no wider than /${WIDEST_IPV4_PREFIX} (IPv6: /${WIDEST_IPV6_PREFIX})`,
      }),
  )
  .max(MAX_SOURCES)
  .transform((sources) => [...new Set(sources)]);
const splitSources = (value: unknown) =>
  typeof value === 'string' ? value.split(/[\s,]+/).filter((source) => source !== '') : value;
/** A list, or one string with entries separated by commas or spaces. */
const sources = shaped(
  z.preprocess<unknown, typeof sourceList, string | string[]>(splitSources, sourceList),
  {
    also: [{ type: 'string' }],
  },
);

const digits = (min: number, max: number) =>
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
const techPrefixesBody = z
  .object({
    inbound: optional(asOne(inboundPrefixes)),
    outbound: optional(techPrefix),
    redirect: optional(techPrefix),
  })
  .transform(({ inbound, outbound, redirect }) => ({
    ...(inbound && { inbound }),
    ...(outbound !== undefined && { outbound }),
    ...(redirect !== undefined && { redirect }),
  }));

const fields = {
  host: optional(host),
  port: optional(integer(PORT.min, PORT.max)),
  transport: optional(enumField(trunkTransports)),
  inbound_source_cidrs: optional(sources),
  country_code: orNull(digits(1, 3)),
  national_prefix: orNull(digits(1, 4)),
  // If omitted: none, or kept by a PUT. Null: removed.
  tech_prefixes: optionalOrNull(techPrefixesBody),
  codecs: optional(z.array(enumField(trunkCodecs)).max(trunkCodecs.length)),
  username: optional(text(CREDENTIAL_MAX_CHARS)),
  password: optional(text(CREDENTIAL_MAX_CHARS)),
  template_id: orNull(integer(1, MAX_INTEGER)),
  follow_template: optional(z.boolean()),
  clear_credentials: orDefault(z.boolean(), false),
};
const settings = z.object(fields);

function check({ value, issues }: { value: z.output<typeof settings>; issues: z.core.$ZodRawIssue[] }): void {
  const addIssue = (field: string, message: string) =>
    issues.push({ code: 'custom', message, path: [field], input: value });
  // Omitted fields may be taken from the template.
  if (value.template_id !== null) return;
  if (value.host === undefined) addIssue('host', 'is required');
  if (value.national_prefix !== null && value.country_code === null)
    addIssue('national_prefix', 'requires country_code');
}

/** `null`: the value of the template applies, or otherwise the default. */
const toTrunk = (body: z.output<typeof settings>) => {
  const ofTemplate = body.template_id !== null;
  return {
    host: body.host ?? null,
    port: body.port ?? (ofTemplate ? null : PORT.default),
    transport: body.transport ?? (ofTemplate ? null : ('UDP' as const)),
    inboundSourceCidrs: body.inbound_source_cidrs ?? null,
    countryCode: body.country_code,
    nationalPrefix: body.national_prefix,
    techPrefixes: body.tech_prefixes,
    // An empty list means G.711, like null.
    codecs: body.codecs?.length ? body.codecs : null,
    // A password without a username is ignored.
    credentials:
      body.username === undefined ? null : { username: body.username, password: body.password ?? null },
    clearCredentials: body.clear_credentials,
    templateId: body.template_id,
    followTemplate: body.follow_template ?? null,
  };
};

export const createTrunkBody = z
  .object({
    name: required(
      z.string().trim().regex(NAME, {
        error: 'must be at most 64 letters, digits, ".", "-" or "_", starting with a letter or digit',
      }),
    ),
    ...fields,
  })
  .check(check)
  .transform(({ name, ...rest }) => ({ name, ...toTrunk(rest) }));
export type CreateTrunk = z.output<typeof createTrunkBody>;

export const putTrunkBody = settings.check(check).transform(toTrunk);
export type PutTrunk = z.output<typeof putTrunkBody>;
