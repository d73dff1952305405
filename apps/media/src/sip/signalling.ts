import type { LegEnd } from '@clarion/protocol/media';

export interface Hangup {
  /** Of a refusal, while the far end's INVITE is not answered. */
  status?: number;
  /** How the leg's end is told, when it is not simply that we hung up. */
  end?: LegEnd;
}

/** What a carrier leg can ask of its signalling, whichever side called. */
export interface Signalling {
  /** The SIP Call-ID, for the log. */
  readonly sipCallId: string | null;
  /** Id of the established dialog on the SIP server, to end it there when the connection was lost. */
  readonly dialogId: string | null;
  /** Ends the leg as its state needs: a refusal, CANCEL or BYE. The end is told through the leg's `onEnd`. */
  hangup: (how?: Hangup) => void;
  /** Sends a key in a SIP INFO. Resolves once the far end has taken it; throws when it refuses and while there is no dialog. */
  sendInfo: (digit: string, durationMs: number) => Promise<void>;
  /** The connection to the SIP server is gone: end without a word to anyone. */
  abandon: () => void;
}
