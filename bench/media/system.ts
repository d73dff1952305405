/** The interface of a media server under test. */
import type { Ends } from './ends-process.ts';

export interface System {
  readonly name: string;
  /** The process under test. Its children count too. */
  readonly pid: number | undefined;
  /** One call: a carrier's RTP and a browser that hear each other. */
  connect(ends: Ends, call: number): Promise<void>;
  stop(): Promise<void>;
}

const AT_ONCE = 8;

/** Connects calls `first` to `last`, several concurrently, because ICE mostly waits. */
export async function connectAll(system: System, ends: Ends, first: number, last: number): Promise<void> {
  let next = first;
  const lane = async () => {
    while (next <= last) {
      const call = next;
      next += 1;
      await system.connect(ends, call);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
