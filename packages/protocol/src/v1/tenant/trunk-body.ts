/** The body of a consumer's own trunk. The verb checks that addresses are public. */
import { z } from 'zod';
import type { NumberRules } from '../../json.ts';
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
import {
  codecs,
  destinationsBody,
  digits,
  host,
  isAddress,
  PORT,
  port,
  quirksBody,
  settingsConflict,
  techPrefixesBody,
  trunkTransports,
} from './carrier-settings.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_SOURCES = 20;
/** The widest allowed source ranges (docs/requirements.md#limits). */
const WIDEST_IPV4_PREFIX = 24;
const WIDEST_IPV6_PREFIX = 48;
const CREDENTIAL_MAX_CHARS = 128;
export const MAX_CALLS = 10_000;
export const MAX_CALLS_PER_SECOND = 1_000;

const isSource = (source: string) => {
  if (isAddress(source)) return true;
  const bits = Number(source.split('/')[1]);
  return (
    (z.cidrv4().safeParse(source).success && bits >= WIDEST_IPV4_PREFIX) ||
    (z.cidrv6().safeParse(source).success && bits >= WIDEST_IPV6_PREFIX)
  );
};
const SOURCE = `an IP address or a CIDR range no wider than /${WIDEST_IPV4_PREFIX} (IPv6: /${WIDEST_IPV6_PREFIX})`;
const sourceList = z
  .array(
    z
      .string()
      .trim()
      .refine(isSource, { error: `must be ${SOURCE}` }),
  )
  .max(MAX_SOURCES);

const FIELD = 'inbound_source_cidrs';
/** A list, or one string with entries separated by commas or spaces. By address or range, the field that contains it as it was sent. */
const sources = shaped(
  z.custom<string | string[]>().transform((value, context): ReadonlyMap<string, string> => {
    const isText = typeof value === 'string';
    const sent: unknown = isText ? value.split(/[\s,]+/).filter((entry) => entry !== '') : value;
    const { data, error } = sourceList.safeParse(sent, { reportInput: true });
    if (data) {
      const fields = new Map<string, string>();
      for (const [index, source] of data.entries())
        if (!fields.has(source)) fields.set(source, isText ? FIELD : `${FIELD}[${index}]`);
      return fields;
    }
    const [issue] = error.issues;
    if (issue) {
      const isEntry = isText && issue.path.length > 0;
      const message = isEntry
        ? `must not contain ${String(issue.input)}: it is not ${SOURCE}`
        : issueMessage(issue);
      context.issues.push({ code: 'custom', message, path: isText ? [] : issue.path, input: value });
    }
    return z.NEVER;
  }),
  {
    is: { type: 'array', items: { type: 'string' }, maxItems: MAX_SOURCES },
    also: [{ type: 'string' }],
  },
);

const fields = {
  host: optional(host).describe('Where outbound calls go: a public host name or IP address.'),
  port: optional(port).describe('If omitted, 5060.'),
  transport: optional(enumField(trunkTransports)).describe('If omitted, UDP.'),
  inbound_source_cidrs: optional(sources).describe(
    'Every signalling address from which the carrier sends calls: public IP addresses or CIDR ranges, as a list or as one string separated by commas or spaces.',
  ),
  country_code: orNull(digits(1, 3)).describe('The country of numbers that the carrier sends without one.'),
  national_prefix: orNull(digits(1, 4)).describe('The prefix of national numbers, such as `0`.'),
  tech_prefixes: optionalOrNull(techPrefixesBody).describe(
    'If omitted: none, or kept by a PUT. Null removes them.',
  ),
  codecs: optional(codecs).describe('In order of preference. If omitted or empty, G.711 (PCMA and PCMU).'),
  destinations: optional(destinationsBody).describe('Further addresses of the carrier for outbound calls.'),
  username: optional(text(CREDENTIAL_MAX_CHARS)).describe(
    'For digest authentication. If omitted: none, or kept by a PUT. Never returned.',
  ),
  password: optional(text(CREDENTIAL_MAX_CHARS)).describe('Ignored without `username`. Never returned.'),
  register: optional(z.boolean()).describe(
    'Register with the carrier, which then sends calls to the registered contact. Requires `username`.',
  ),
  srtp: optional(z.boolean()).describe('Encrypt audio (SDES-SRTP). Requires transport TLS.'),
  max_calls: orNull(integer(1, MAX_CALLS)).describe(
    'The concurrent calls that the carrier allows. If null, no limit.',
  ),
  calls_per_second: orNull(integer(1, MAX_CALLS_PER_SECOND)).describe(
    'The outbound calls per second that the carrier allows. If null, no limit.',
  ),
  quirks: optional(quirksBody).describe('What the carrier requires or rejects. Whatever is omitted is off.'),
  template_id: orNull(integer(1, MAX_INTEGER)).describe(
    'A template listed by GET /v1/carrier-templates. Omitted fields are taken from it.',
  ),
  follow_template: optional(z.boolean()).describe(
    "Whether the source addresses stay those of the template when it changes. If omitted: true if template_id is given without addresses of one's own.",
  ),
  clear_credentials: orDefault(z.boolean(), false).describe(
    'Remove the credentials, unless new ones are given.',
  ),
};
const settings = z.object(fields);
type Settings = z.output<typeof settings>;

const numberRulesOf = ({
  country_code: countryCode,
  national_prefix: prefix,
}: Settings): NumberRules | null =>
  countryCode === null ? null : { countryCode, ...(prefix !== null && { nationalPrefix: prefix }) };

function check({ value, issues }: { value: Settings; issues: z.core.$ZodRawIssue[] }): void {
  const addIssue = (field: string, message: string) =>
    issues.push({ code: 'custom', message, path: field.split('.'), input: value });
  if (value.follow_template) {
    if (value.template_id === null) addIssue('follow_template', 'requires template_id');
    else if (value.inbound_source_cidrs?.size)
      addIssue('follow_template', 'cannot be combined with inbound_source_cidrs');
  }
  // Omitted fields may be taken from the template.
  if (value.template_id !== null) return;
  if (value.host === undefined) addIssue('host', 'is required without template_id');
  if (value.national_prefix !== null && value.country_code === null)
    addIssue('national_prefix', 'requires country_code');
  const conflict = settingsConflict({
    transport: value.transport ?? 'UDP',
    numberRules: numberRulesOf(value),
    quirks: value.quirks ?? {},
    srtp: value.srtp ?? false,
  });
  if (conflict) addIssue(conflict.field, conflict.message);
}

/** `null`: the value of the template applies, or otherwise the default. */
const toTrunk = (body: Settings) => {
  const ofTemplate = body.template_id !== null;
  /** The value of a field that a template has. */
  const templated = <T>(given: T | undefined, byDefault: T) => given ?? (ofTemplate ? null : byDefault);
  return {
    host: body.host ?? null,
    port: templated(body.port, PORT.default),
    transport: templated(body.transport, 'UDP' as const),
    inboundSourceCidrs: body.inbound_source_cidrs ? [...body.inbound_source_cidrs.keys()] : null,
    /** By source address, the field that contains it as it was sent. */
    sourceFields: body.inbound_source_cidrs ?? new Map<string, string>(),
    countryCode: body.country_code,
    nationalPrefix: body.national_prefix,
    techPrefixes: body.tech_prefixes,
    // An empty list means G.711, like null.
    codecs: body.codecs?.length ? body.codecs : null,
    destinations: templated(body.destinations, []),
    register: templated(body.register, false),
    srtp: templated(body.srtp, false),
    quirks: templated(body.quirks, {}),
    maxCalls: body.max_calls,
    callsPerSecond: body.calls_per_second,
    // A password without a username is ignored.
    credentials:
      body.username === undefined ? null : { username: body.username, password: body.password ?? null },
    clearCredentials: body.clear_credentials,
    templateId: body.template_id,
    followTemplate: body.follow_template ?? null,
  };
};

export const trunkName = z.string().trim().regex(NAME, {
  error: 'must be at most 64 letters, digits, ".", "-" or "_", starting with a letter or digit',
});

export const createTrunkBody = z
  .object({ name: required(trunkName), ...fields })
  .check(check)
  .transform(({ name, ...rest }) => ({ name, ...toTrunk(rest) }));
export type CreateTrunk = z.output<typeof createTrunkBody>;

export const putTrunkBody = settings.check(check).transform(toTrunk);
export type PutTrunk = z.output<typeof putTrunkBody>;
