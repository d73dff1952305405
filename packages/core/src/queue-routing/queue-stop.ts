/** A queue as the call met it. The first of `stops` is where it waits, the rest where it overflows to, in order. */
export interface QueueStop {
  queueId: number;
  ref: string;
  ringTimeoutSeconds: number;
  /** Null waits for ever. */
  maxWaitSeconds: number | null;
  /** Store key of what callers hear while they wait or are on hold; null: the hold tone. */
  holdAudio: string | null;
  wrapUpSeconds: number;
  announce: { position: boolean; wait: boolean; everySeconds: number };
  /** The key that asks for a call back; null: not offered, or the caller cannot be called back. */
  callbackKey: string | null;
  /** After so much of the wait the skills a call asks for no longer matter; null: they always do. */
  skillsWaitSeconds: number | null;
  /** An unanswered caller is answered on entering the queue, and hears hold audio instead of ringing. */
  answerWhileWaiting: boolean;
}
