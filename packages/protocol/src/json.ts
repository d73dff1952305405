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

/** Per-carrier switches, set by the operator. */
export const trunkQuirks = z.object({
  /** Send the caller ID as `+44…` instead of the default `44…`. */
  callerIdPlus: z.boolean().optional(),
  /** Send the called number as `+44…` instead of `44…`. */
  calledPlus: z.boolean().optional(),
  /** The carrier does not accept RTP header extensions: legs of this trunk stay on the local RTP endpoint. */
  noHeaderExtensions: z.boolean().optional(),
});
export type TrunkQuirks = z.infer<typeof trunkQuirks>;
