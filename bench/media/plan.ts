/** Parameters of the media benchmark. */

export interface Plan {
  /** Concurrent calls through a relay. */
  calls: number;
  /** Concurrent three-party rooms. */
  rooms: number;
  /** Of the delay measurement: enough to keep a core half busy. */
  delayCalls: number;
  rounds: number;
  /** Per side and round. */
  seconds: number;
  peers: boolean;
  /** Names of comparisons; empty: all. */
  only: readonly string[];
}

export type LogProgress = (line: string) => void;

export const fullPlan: Plan = {
  calls: 50,
  rooms: 20,
  delayCalls: 100,
  rounds: 5,
  seconds: 5,
  peers: true,
  only: [],
};

/** Checks that the benchmark works; its figures are meaningless. */
export const quickPlan: Plan = {
  calls: 2,
  rooms: 1,
  delayCalls: 2,
  rounds: 1,
  seconds: 1,
  peers: true,
  only: [],
};
