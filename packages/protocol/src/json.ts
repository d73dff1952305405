/** Schemas of JSON columns. They are defined here, below the database package, so that the types of rows are derived from them. */
import { z } from 'zod';
import { monitoringModes } from './enums.ts';
import type { MonitoringMode } from './enums.ts';

/** Tenant settings as stored: only what was set. `tenantSettingsWithDefaults` fills in the rest. */
export const storedTenantSettings = z.object({
  teamView: z.boolean().optional(),
  monitoring: z.object({ modes: z.array(z.enum(monitoringModes)).optional() }).optional(),
  autoOffline: z
    .object({ enabled: z.boolean().optional(), missedThreshold: z.number().int().optional() })
    .optional(),
  recording: z
    .object({
      enabled: z.boolean().nullable().optional(),
      retentionDays: z.number().int().nullable().optional(),
    })
    .optional(),
});
export type StoredTenantSettings = z.infer<typeof storedTenantSettings>;

export interface TenantSettings {
  teamView: boolean;
  monitoring: { modes: MonitoringMode[] };
  autoOffline: { enabled: boolean; missedThreshold: number };
  recording: { enabled: boolean | null; retentionDays: number | null };
}

/** Missed calls in a row before an agent is taken offline, if the tenant does not set a number. */
const DEFAULT_MISSED_THRESHOLD = 3;

export function tenantSettingsWithDefaults(stored: StoredTenantSettings): TenantSettings {
  return {
    teamView: stored.teamView ?? true,
    monitoring: { modes: stored.monitoring?.modes ?? ['LISTEN'] },
    autoOffline: {
      enabled: stored.autoOffline?.enabled ?? false,
      missedThreshold: stored.autoOffline?.missedThreshold ?? DEFAULT_MISSED_THRESHOLD,
    },
    recording: {
      enabled: stored.recording?.enabled ?? null,
      retentionDays: stored.recording?.retentionDays ?? null,
    },
  };
}

/** How a trunk writes national numbers. Digits only. */
export const numberRules = z.object({ countryCode: z.string(), nationalPrefix: z.string().optional() });
export type NumberRules = z.infer<typeof numberRules>;

export const prefixPurposes = ['PROCESS', 'FORWARD', 'FILTER'] as const;
export const techPrefixes = z.object({
  inbound: z.array(z.object({ prefix: z.string(), purpose: z.enum(prefixPurposes) })).optional(),
  outbound: z.string().optional(),
  redirect: z.string().optional(),
});
export type TechPrefixes = z.infer<typeof techPrefixes>;

/** Per-carrier settings, as data: what one carrier requires and another rejects. Every one is optional and off by default. */
export const trunkQuirks = z.object({
  /** Send the caller ID as `+44…` instead of the default `44…`. */
  callerIdPlus: z.boolean().optional(),
  /** Send the called number as `+44…` instead of `44…`. */
  calledPlus: z.boolean().optional(),
  /** Send called numbers of the trunk's country in national form, with its national prefix. */
  nationalOutbound: z.boolean().optional(),
  /** Host of From and P-Asserted-Identity instead of our address. */
  fromDomain: z.string().optional(),
  /** User part of From instead of the caller ID, which is then in P-Asserted-Identity only. */
  fromUser: z.string().optional(),
  /** Add `;user=phone` to the request URI and to From (RFC 3261, section 19.1.1). */
  userPhone: z.boolean().optional(),
  /** Do not send P-Asserted-Identity (RFC 3325). */
  noAssertedIdentity: z.boolean().optional(),
  /** Withhold the caller ID from the called person: From is anonymous, with `Privacy: id` (RFC 3323, RFC 3325). */
  hideCallerId: z.boolean().optional(),
  /** The carrier does not accept RTP header extensions: legs of this trunk stay on the local RTP endpoint. */
  noHeaderExtensions: z.boolean().optional(),
  /** Ignore audio before the answer; the agent hears our ringback tone. */
  noEarlyMedia: z.boolean().optional(),
  /** Look up SRV records of the host instead of using its port (RFC 3263, section 4.2). */
  useSrv: z.boolean().optional(),
});
export type TrunkQuirks = z.infer<typeof trunkQuirks>;

/**
 * A further address of a carrier. Lower priorities are tried first; among equal ones the weight is the share of the calls (RFC 2782). The
 * trunk's own host and port have priority 0 and weight 1.
 */
export const trunkDestination = z.object({
  host: z.string(),
  port: z.number().int(),
  priority: z.number().int(),
  weight: z.number().int(),
});
export type TrunkDestination = z.infer<typeof trunkDestination>;

/** A keepalive or test of a trunk by OPTIONS. `up`: any final response except 408 and 5xx, within the timeout. */
export const trunkPing = z.object({
  up: z.boolean(),
  status: z.number().int().nullable(),
  reason: z.string().nullable(),
  rttMs: z.number().nullable(),
  error: z.string().nullable(),
  at: z.string(),
  target: z.string(),
});
export type TrunkPing = z.infer<typeof trunkPing>;

export const registrationStates = ['REGISTERING', 'REGISTERED', 'FAILED'] as const;
/** The registration of a trunk with its carrier. */
export const trunkRegistration = z.object({
  state: z.enum(registrationStates),
  /** Of the last final response. */
  status: z.number().int().nullable(),
  /** A sentence of the failure catalogue; null while registered. */
  error: z.string().nullable(),
  /** FailureCode; null while registered. */
  code: z.string().nullable(),
  at: z.string(),
  /** When the registration ends unless it is refreshed. */
  expiresAt: z.string().nullable(),
  /** The destination that accepted it. */
  target: z.string().nullable(),
});
export type TrunkRegistration = z.infer<typeof trunkRegistration>;

const rateDeckColumns = z.object({
  prefix: z.string().nullable(),
  rate: z.string().nullable(),
  destination: z.string().nullable(),
  effectiveFrom: z.string().nullable(),
  initialSeconds: z.string().nullable(),
  incrementSeconds: z.string().nullable(),
  connectionFee: z.string().nullable(),
});
/** How a rate deck's last file was read: its columns by heading, the order of its dates, and its billing blocks. */
export const rateDeckReading = z.object({
  columns: rateDeckColumns,
  /** Fields without a column because the import said so, whatever the headings. */
  leftOut: z.array(rateDeckColumns.keyof()).default([]),
  /** Null: no date has shown an order yet. */
  dateFormat: z.enum(['DD/MM/YYYY', 'MM/DD/YYYY', 'YYYY-MM-DD']).nullable(),
  initialSeconds: z.number().int(),
  incrementSeconds: z.number().int(),
});
export type RateDeckReading = z.infer<typeof rateDeckReading>;
/** What a check-up of a trunk looks at, in the order of its lines. */
export const trunkChecks = [
  'DNS',
  'CONNECTION',
  'CERTIFICATE',
  'OPTIONS',
  'CREDENTIALS',
  'REGISTRATION',
  'OUR_ADDRESS',
  'CODECS',
  'SOURCES',
] as const;
export type TrunkCheckName = (typeof trunkChecks)[number];
export const trunkCheckResults = ['OK', 'WARNING', 'FAILED', 'SKIPPED'] as const;
export const trunkCheck = z.object({
  check: z.enum(trunkChecks),
  result: z.enum(trunkCheckResults),
  text: z.string(),
  /** FailureCode; null: nothing is wrong. */
  code: z.string().nullable(),
  details: z.record(
    z.string(),
    z.union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.string())]),
  ),
});
export type TrunkCheck = z.infer<typeof trunkCheck>;

/** The outcome of a test of a trunk. `unavailable`: no media node was connected to the SIP server. */
export const trunkTestResult = z.union([
  z.object({ ping: trunkPing, checkup: z.array(trunkCheck) }),
  z.object({ unavailable: z.literal(true) }),
]);
export type TrunkTestResult = z.infer<typeof trunkTestResult>;
