/** The screen on which the phone shows calls: CallKit or ConnectionService. The logic of the app knows nothing else of the phone. */
export interface Caller {
  /** Null: the number is withheld. */
  address: string | null;
  name: string | null;
}

export type ScreenEnd = 'ended' | 'answered-elsewhere' | 'declined' | 'expired' | 'unreachable' | 'failed';

/** Every call on the screen has a UUID, which the app chooses. */
export interface CallScreen {
  /** @param from push: iOS shows the call already, because AppDelegate has reported it */
  ring(uuid: string, caller: Caller, from: 'push' | 'socket'): void;
  connected(uuid: string): void;
  muted(uuid: string, on: boolean): void;
  end(uuid: string, why: ScreenEnd): void;
  /** A notification that the agent missed a call. */
  missed(caller: Caller): void;
}
