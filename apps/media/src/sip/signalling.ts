import type { LegEnd } from '@clarion/protocol/media';

export interface Hangup {
  /** Status of the rejection if the INVITE is not answered yet. */
  status?: number;
  /** The reported end of the leg, if it is not a normal hang-up by us. */
  end?: LegEnd;
}

/** The signalling of a carrier leg, for calls in both directions. */
export interface Signalling {
  /** The SIP Call-ID, for the log. */
  readonly sipCallId: string | null;
  /** ID of the established dialog on the SIP server, to end it there after the connection was lost. */
  readonly dialogId: string | null;
  /** Ends the leg in the way its state requires: a rejection, CANCEL or BYE. The end is reported through `onEnd`. */
  hangup: (how?: Hangup) => void;
  /**
   * Sends a digit in a SIP INFO. Resolves once the remote party has accepted it; throws if it is rejected or there is
   * no dialog.
   */
  sendInfo: (digit: string, durationMs: number) => Promise<void>;
  /** The connection to the SIP server is lost: ends the leg without sending anything. */
  abandon: () => void;
}
