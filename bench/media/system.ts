/** What a media server under test is to the bench. */
import type { Ends } from './ends-process.ts';

export interface System {
  readonly name: string;
  /** The process under test; its children count with it. */
  readonly pid: number | undefined;
  /** One call: a carrier's RTP and a browser that hear each other. */
  connect(ends: Ends, call: number): Promise<void>;
  stop(): Promise<void>;
}
