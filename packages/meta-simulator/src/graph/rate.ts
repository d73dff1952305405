/** Sliding windows of requests. Pure but for its own counters; the caller gives the time. */
import { GraphError } from '../protocol/errors.ts';
import { HOUR_MS } from '../protocol/permissions.ts';

export interface RateLimits {
  /** Requests of a WhatsApp Business account: 80007. */
  readonly requestsPerHour: number;
  /** Messages of a number: 130429. */
  readonly messagesPerSecond: number;
  /** Lookups of a call permission of a number: 613. */
  readonly permissionLookupsPerMinute: number;
}

export const defaultRateLimits: RateLimits = {
  requestsPerHour: 5000,
  messagesPerSecond: 80,
  permissionLookupsPerMinute: 100,
};

export class RateLimiter {
  readonly #limits: RateLimits;
  readonly #moments = new Map<string, number[]>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  request(wabaId: string, now: number): void {
    this.#count(`requests ${wabaId}`, HOUR_MS, this.#limits.requestsPerHour, 80_007, now);
  }

  message(phoneNumberId: string, now: number): void {
    this.#count(`messages ${phoneNumberId}`, 1000, this.#limits.messagesPerSecond, 130_429, now);
  }

  permissionLookup(phoneNumberId: string, now: number): void {
    this.#count(`lookups ${phoneNumberId}`, 60_000, this.#limits.permissionLookupsPerMinute, 613, now);
  }

  #count(key: string, windowMs: number, max: number, code: 80007 | 130429 | 613, now: number): void {
    const recent = (this.#moments.get(key) ?? []).filter((at) => at > now - windowMs);
    if (recent.length >= max) throw new GraphError(code, `At most ${max} in ${windowMs / 1000} s.`);
    this.#moments.set(key, [...recent, now]);
  }
}
