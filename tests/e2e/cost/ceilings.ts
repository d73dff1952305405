/** The most that one call of each type may cost the database, over all processes. Lower a ceiling when the engine gets cheaper. */
export interface Ceiling {
  /** Without BEGIN and COMMIT. */
  statements: number;
  /** Transactions of more than one statement. */
  commits: number;
}

export const CEILINGS = {
  /** INVITE to a queue, offer, answer, BYE by the caller. On a busy machine steps that overlap are computed twice. */
  queue: { statements: 18, commits: 1 },
  /** INVITE to a queue, offer, CANCEL. */
  abandoned: { statements: 13, commits: 1 },
  /** Intent by the API, INVITE to the carrier, answer, BYE by the customer. */
  outbound: { statements: 40, commits: 2 },
  /** INVITE to the line of an agent, offer, answer, BYE by the caller. */
  personal: { statements: 20, commits: 1 },
  /** INVITE to a menu, a key, and from there as `queue`. */
  ivr: { statements: 34, commits: 1 },
} satisfies Record<string, Ceiling>;

export type CallType = keyof typeof CEILINGS;
