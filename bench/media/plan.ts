/** How much the media bench does. */

export interface Plan {
  /** Calls at once through a relay. */
  calls: number;
  /** Three-party rooms at once. */
  rooms: number;
  /** Of the measurement of delay: enough to keep a core half busy. */
  delayCalls: number;
  rounds: number;
  /** Of each side in each round. */
  seconds: number;
  peers: boolean;
  /** Names of comparisons; empty: all. */
  only: readonly string[];
}

export type Say = (line: string) => void;

export const fullPlan: Plan = {
  calls: 50,
  rooms: 20,
  delayCalls: 100,
  rounds: 5,
  seconds: 5,
  peers: true,
  only: [],
};

/** Proves that the bench works; its figures mean nothing. */
export const quickPlan: Plan = {
  calls: 2,
  rooms: 1,
  delayCalls: 2,
  rounds: 1,
  seconds: 1,
  peers: true,
  only: [],
};
