/** The customer's end of a call, whatever the channel: what tests of calls need of it. `SipCall` of the test phone is one. */
import { pressKeys } from '@clarion/test-phone/rtp/telephone-event';
import type { RtpStream } from '@clarion/test-phone/rtp/port';
import type { CallEnd } from '@clarion/test-phone/sip/call';

export interface FarCall {
  /** Resolves once the customer hears that it rings; rejects if the call ends first. */
  rings(timeoutMs?: number): Promise<unknown>;
  answered(timeoutMs?: number): Promise<unknown>;
  hangUp(): Promise<void>;
  ended(timeoutMs?: number): Promise<CallEnd>;
  readonly audio: RtpStream;
  /** What happened on the wire, for the message of a failed test. */
  readonly log: readonly (number | string)[];
  /** Presses keys, if that is not done with telephone events in `audio`. */
  press?(keys: string): Promise<void>;
}

export const press = (call: FarCall, keys: string): Promise<void> =>
  call.press ? call.press(keys) : pressKeys(call.audio, keys);
