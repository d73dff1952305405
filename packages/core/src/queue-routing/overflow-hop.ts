/** A queue as of the call's creation. The call waits in the first of `stops`; the others are its overflow chain, in order. */
export interface OverflowHop {
  queueId: number;
  ref: string;
  ringTimeoutSeconds: number;
  /** Null: no limit. */
  maxWaitSeconds: number | null;
  /** Store key of the hold audio for waiting and for on hold; null: the hold tone. */
  holdAudio: string | null;
  wrapUpSeconds: number;
  announce: { position: boolean; wait: boolean; everySeconds: number };
  /** The callback key; null: not offered, or the caller cannot be called back. */
  callbackKey: string | null;
  /** After this much of the wait the call's skills are ignored; null: never. */
  skillsWaitSeconds: number | null;
  /** An unanswered call is answered on entering the queue, so that the caller hears hold audio instead of ringing. */
  answerWhileWaiting: boolean;
}
