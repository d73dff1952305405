/** The settings of a trunk as given, completed by those of a template. */
import { Prisma } from '@clarion/db';
import type { CarrierTemplate, SipTrunk } from '@clarion/db';
import { invalidField, numberRules, trunkDestination, trunkQuirks } from '@clarion/protocol';
import type { NumberRules, TechPrefixes, TrunkDestination, TrunkQuirks } from '@clarion/protocol';
import { settingsConflict } from '@clarion/protocol/v1/tenant/carrier-settings';
import type { PutTrunk } from '@clarion/protocol/v1/tenant/trunk-body';

/** What a trunk and a template have in common. */
export interface CarrierSettings {
  host: string;
  port: number;
  transport: SipTrunk['transport'];
  inboundSourceCidrs: readonly string[];
  numberRules: NumberRules | null;
  /** Empty means G.711. */
  codecs: readonly string[];
  destinations: readonly TrunkDestination[];
  register: boolean;
  srtp: boolean;
  quirks: TrunkQuirks;
}

/** Without a port, it has that of the trunk. */
export type GivenDestination = Omit<TrunkDestination, 'port'> & { port: number | null };
const withPorts = (given: readonly GivenDestination[], port: number): TrunkDestination[] =>
  given.map((one) => ({ ...one, port: one.port ?? port }));

export interface TrunkSettings extends CarrierSettings {
  maxCalls: number | null;
  callsPerSecond: number | null;
  templateId: number | null;
  followTemplate: boolean;
}

export const carrierSettingsOf = (row: SipTrunk | CarrierTemplate): CarrierSettings => ({
  host: row.host,
  port: row.port,
  transport: row.transport,
  inboundSourceCidrs: row.inboundSourceCidrs,
  numberRules: numberRules.nullable().parse(row.numberRules),
  codecs: row.codecs,
  destinations: trunkDestination.array().parse(row.destinations),
  register: row.register,
  srtp: row.srtp,
  quirks: trunkQuirks.parse(row.quirks),
});

/** The body of a trunk without its name, tech prefixes and credentials. */
export type GivenSettings = Omit<
  PutTrunk,
  'sourceFields' | 'techPrefixes' | 'credentials' | 'clearCredentials'
>;

/**
 * Whatever the body omits is taken from the template. Without addresses of its own the trunk follows the template's, unless it was told not
 * to; it then has a copy of them.
 *
 * @throws 400 host
 */
export function settingsOf(given: GivenSettings, template: CarrierTemplate | null): TrunkSettings {
  const base = template && carrierSettingsOf(template);
  const host = given.host ?? base?.host;
  if (host === undefined) throw invalidField('host', 'host is required without template_id.');
  const port = given.port ?? base?.port ?? DEFAULTS.port;
  const own = given.inboundSourceCidrs;
  const followTemplate = base !== null && (given.followTemplate ?? !own?.length);
  return {
    host,
    port,
    transport: given.transport ?? base?.transport ?? DEFAULTS.transport,
    inboundSourceCidrs: followTemplate ? base.inboundSourceCidrs : (own ?? base?.inboundSourceCidrs ?? []),
    numberRules: rulesOf(given, base?.numberRules ?? null),
    codecs: given.codecs ?? base?.codecs ?? [],
    destinations: given.destinations ? withPorts(given.destinations, port) : (base?.destinations ?? []),
    register: given.register ?? base?.register ?? false,
    srtp: given.srtp ?? base?.srtp ?? false,
    quirks: given.quirks ?? base?.quirks ?? {},
    maxCalls: given.maxCalls,
    callsPerSecond: given.callsPerSecond,
    templateId: template?.id ?? null,
    followTemplate,
  };
}

const DEFAULTS = { port: 5060, transport: 'UDP' } as const;

/** A country code of its own replaces the template's rules as a whole. */
const rulesOf = (
  { countryCode, nationalPrefix }: GivenSettings,
  base: NumberRules | null,
): NumberRules | null =>
  ruleOf({
    countryCode: countryCode ?? base?.countryCode ?? null,
    nationalPrefix: nationalPrefix ?? (countryCode === null ? (base?.nationalPrefix ?? null) : null),
  });

/** @throws 400 national_prefix */
function ruleOf(given: { countryCode: string | null; nationalPrefix: string | null }): NumberRules | null {
  const { countryCode, nationalPrefix } = given;
  if (countryCode === null) {
    if (nationalPrefix !== null)
      throw invalidField('national_prefix', 'national_prefix requires country_code.');
    return null;
  }
  return { countryCode, ...(nationalPrefix !== null && { nationalPrefix }) };
}

/** A change by the operator. What is not given stays as it is. */
export interface CarrierChange extends Partial<Omit<CarrierSettings, 'numberRules' | 'destinations'>> {
  /** Null removes the number rules. */
  countryCode?: string | null;
  nationalPrefix?: string | null;
  destinations?: readonly GivenDestination[];
}

/** @throws 400 national_prefix */
export function changedCarrier(before: CarrierSettings, change: CarrierChange): CarrierSettings {
  const { countryCode = before.numberRules?.countryCode, destinations, ...others } = change;
  const { nationalPrefix = before.numberRules?.nationalPrefix, ...settings } = others;
  return {
    ...before,
    ...settings,
    numberRules:
      countryCode === null
        ? null
        : ruleOf({ countryCode: countryCode ?? null, nationalPrefix: nationalPrefix ?? null }),
    ...(destinations && { destinations: withPorts(destinations, change.port ?? before.port) }),
  };
}

/** Checks the rules between settings. @throws 400 naming the field */
export function assertConsistent(settings: CarrierSettings): void {
  const conflict = settingsConflict(settings);
  if (conflict) throw invalidField(conflict.field, `${conflict.field} ${conflict.message}.`);
}

/** @throws 400 register */
export function assertCanRegister({ register }: CarrierSettings, username: string | null): void {
  if (register && username === null) throw invalidField('register', 'register requires username.');
}

export const columnsOfCarrier = (settings: CarrierSettings) => ({
  host: settings.host,
  port: settings.port,
  transport: settings.transport,
  inboundSourceCidrs: [...settings.inboundSourceCidrs],
  numberRules: settings.numberRules ?? Prisma.DbNull,
  codecs: [...settings.codecs],
  destinations: settings.destinations.map((one) => ({ ...one })),
  register: settings.register,
  srtp: settings.srtp,
  quirks: settings.quirks,
});

export const columnsOf = (settings: TrunkSettings) => ({
  ...columnsOfCarrier(settings),
  maxCalls: settings.maxCalls,
  callsPerSecond: settings.callsPerSecond,
  templateId: settings.templateId,
  followTemplate: settings.followTemplate,
});

/** Undefined: kept. Null: removed. */
export const techPrefixColumn = (given: TechPrefixes | null | undefined) =>
  given === undefined ? {} : { techPrefixes: given ?? Prisma.DbNull };
