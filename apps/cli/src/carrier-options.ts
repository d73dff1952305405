/** The options by which trunks and carrier templates are configured, validated by the schemas of the API. */
import { Option } from 'commander';
import { invalidField } from '@clarion/protocol';
import type { NumberRules } from '@clarion/protocol';
import { fieldError } from '@clarion/protocol/v1/fields/field-error';
import { integer, optional } from '@clarion/protocol/v1/fields/fields';
import {
  codecs,
  destinationsBody,
  digits,
  host,
  port,
  quirksBody,
  techPrefixesBody,
  trunkTransports,
} from '@clarion/protocol/v1/tenant/carrier-settings';
import { MAX_CALLS, MAX_CALLS_PER_SECOND } from '@clarion/protocol/v1/tenant/trunk-body';
import { z } from 'zod';
import { wholeNumber } from './options.ts';

/** Removes what an option configures. */
const NONE = 'none';

export interface CarrierOptions {
  host?: string;
  port?: number;
  transport?: (typeof trunkTransports)[number];
  source?: string[];
  countryCode?: string;
  nationalPrefix?: string;
  codecs?: string;
  destination?: string[];
  register?: boolean;
  srtp?: boolean;
  quirk?: string[];
}
export interface TrunkOptions extends CarrierOptions {
  techPrefixes?: string;
  maxCalls?: string;
  callsPerSecond?: string;
  username?: string;
  passwordStdin?: true;
}

export const carrierOptions = [
  new Option('--host <host>', 'destination of outbound calls'),
  new Option('--port <port>', 'destination of outbound calls; default: 5060').argParser(wholeNumber),
  new Option('--transport <transport>', 'transport towards the carrier; default: UDP').choices([
    ...trunkTransports,
  ]),
  new Option('--source <cidr...>', 'signalling addresses of the carrier'),
  new Option('--country-code <digits>', 'country code of numbers without one; none: no number rules'),
  new Option('--national-prefix <digits>', 'prefix of national numbers; none: no prefix'),
  new Option(
    '--codecs <list>',
    'PCMA, PCMU and G722 in order of preference, separated by commas; none: G.711',
  ),
  new Option(
    '--destination <host...>',
    'further destinations as host[:port][/priority[/weight]]; none: removes them',
  ),
  new Option('--register', 'register with the carrier'),
  new Option('--no-register', 'do not register with the carrier'),
  new Option('--srtp', 'encrypt audio; requires TLS'),
  new Option('--no-srtp', 'do not encrypt audio'),
  new Option(
    '--quirk <name...>',
    'settings of this carrier, such as called_plus, national_outbound or from_domain=sip.acme.example; none: removes them',
  ),
];
export const trunkOptions = [
  ...carrierOptions,
  new Option('--tech-prefixes <json>', 'tech prefixes as in the API; none: removes them'),
  new Option('--max-calls <n>', 'concurrent calls that the carrier allows; none: no limit'),
  new Option('--calls-per-second <n>', 'outbound calls per second that the carrier allows; none: no limit'),
  new Option('--username <name>', 'username for digest authentication'),
  new Option('--password-stdin', 'read the password from standard input'),
];

const schema = z.object({
  host: optional(host),
  port: optional(port),
  country_code: optional(digits(1, 3)),
  national_prefix: optional(digits(1, 4)),
  codecs: optional(codecs),
  destinations: optional(destinationsBody),
  quirks: optional(quirksBody),
  tech_prefixes: optional(techPrefixesBody),
  max_calls: optional(integer(1, MAX_CALLS)),
  calls_per_second: optional(integer(1, MAX_CALLS_PER_SECOND)),
});

/** What was given; an omitted option is undefined, and null means that it was removed. @throws 400 naming the field as in the API */
export function settingsOfOptions(options: TrunkOptions) {
  const parsed = schema.safeParse(
    {
      host: options.host,
      port: options.port,
      country_code: given(options.countryCode),
      national_prefix: given(options.nationalPrefix),
      codecs: given(options.codecs)?.split(','),
      destinations: givenList(options.destination)?.map(destinationOf),
      quirks: quirksOf(givenList(options.quirk)),
      tech_prefixes: jsonOf(given(options.techPrefixes)),
      max_calls: numberOf(given(options.maxCalls)),
      calls_per_second: numberOf(given(options.callsPerSecond)),
    },
    { reportInput: true },
  );
  if (!parsed.success) throw fieldError(parsed.error);
  const { data } = parsed;
  return {
    host: data.host,
    port: data.port,
    transport: options.transport,
    inboundSourceCidrs: isNone(options.source) ? [] : options.source,
    countryCode: options.countryCode === NONE ? null : data.country_code,
    nationalPrefix: options.nationalPrefix === NONE ? null : data.national_prefix,
    codecs: options.codecs === NONE ? [] : data.codecs,
    destinations: isNone(options.destination) ? [] : data.destinations,
    register: options.register,
    srtp: options.srtp,
    quirks: isNone(options.quirk) ? {} : data.quirks,
    techPrefixes: options.techPrefixes === NONE ? null : data.tech_prefixes,
    maxCalls: options.maxCalls === NONE ? null : data.max_calls,
    callsPerSecond: options.callsPerSecond === NONE ? null : data.calls_per_second,
  };
}
export type SettingsOfOptions = ReturnType<typeof settingsOfOptions>;

/** Of the credentials, what was given. A username alone has an empty password. */
export async function credentialsOf(
  { username, passwordStdin }: TrunkOptions,
  readStdin: () => Promise<string>,
): Promise<{ username: string; password: string | null } | undefined> {
  const password = passwordStdin ? (await readStdin()).trim() : null;
  return username === undefined ? undefined : { username, password };
}

/** For something new, which has no country code yet. @throws 400 national_prefix */
export function rulesOf({ countryCode, nationalPrefix }: SettingsOfOptions): NumberRules | null {
  if (countryCode) return { countryCode, ...(nationalPrefix && { nationalPrefix }) };
  if (nationalPrefix) throw invalidField('national_prefix', 'national_prefix requires country_code.');
  return null;
}

const isNone = (list: readonly string[] | undefined) => list?.length === 1 && list[0] === NONE;
const given = (text: string | undefined) => (text === NONE ? undefined : text);
const givenList = (list: string[] | undefined) => (isNone(list) ? undefined : list);

/** What is no number or no JSON is rejected by the schema, which names the field. */
const numberOf = (text: string | undefined): unknown =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
function jsonOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `sip2.carrier.example:5070/1/20`; an IPv6 address with a port is in brackets. */
function destinationOf(text: string): Record<string, unknown> {
  const [address = '', priority, weight] = text.split('/');
  const [, bracketed, plain, portText] = /^(?:\[(.+)\]|([^:]+))(?::(.*))?$/.exec(address) ?? [];
  return {
    host: bracketed ?? plain ?? address,
    port: numberOf(portText),
    priority: numberOf(priority),
    weight: numberOf(weight),
  };
}

const quirkNames = Object.keys(quirksBody.in.shape);

/** `name` or `name=value`. The schema ignores unknown names, which here are mistakes. */
function quirksOf(list: readonly string[] | undefined): Record<string, unknown> | undefined {
  if (list === undefined) return undefined;
  const entries = list.map((entry): [string, unknown] => {
    const [name = '', ...value] = entry.split('=');
    if (!quirkNames.includes(name)) {
      const field = `quirks.${name}`;
      throw invalidField(field, `${field} does not exist. The settings are ${quirkNames.join(', ')}.`);
    }
    return [name, value.length === 0 ? true : value.join('=')];
  });
  return Object.fromEntries(entries);
}
