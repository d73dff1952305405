/** The result of a handshake, as socket.io's middleware passes it to the client. */
import { ApiError } from '@clarion/protocol';
import type { Logger } from 'pino';

/** A refused handshake: `data` is the error of the protocol. */
class HandshakeRefused extends Error {
  readonly data: ReturnType<ApiError['toBody']>['error'];
  constructor(error: ApiError) {
    super(error.code);
    this.data = error.toBody().error;
  }
}

/** Admits a socket, or refuses it with an error that apps can read. */
export function answerHandshake(admitted: Promise<void>, next: (refused?: Error) => void, log: Logger): void {
  admitted.then(
    () => next(),
    (error: unknown) => {
      if (error instanceof ApiError) {
        log.info({ code: error.code, reason: error.message }, 'socket rejected');
        return next(new HandshakeRefused(error));
      }
      log.error({ err: error }, 'failed to authenticate a socket');
      next(new HandshakeRefused(new ApiError('internal_error')));
    },
  );
}
