import type { ErrorBody, ErrorCode, ErrorDetails } from '@clarion/protocol/errors';

/** What can go wrong on this side of the wire. Everything else is a code of the service. */
export type LocalErrorCode =
  /** The service could not be reached in time. */
  | 'connection_failed'
  /** The connection went away before the service answered; the next `session` says what became of it. */
  | 'connection_lost'
  /** The service did not answer in time. */
  | 'request_timeout'
  /** `disconnect()` was called. */
  | 'disconnected'
  /** `getToken` threw or returned nothing. */
  | 'token_failed'
  /** The browser or the person refused the microphone. */
  | 'microphone_blocked'
  /** There is no microphone, or another program holds it. */
  | 'microphone_unavailable'
  /** Audio could not be agreed on or connected. */
  | 'media_failed'
  /** The call is in a state that does not allow this. */
  | 'wrong_state';

export type ClarionErrorCode = ErrorCode | LocalErrorCode;

/** The one error this SDK throws. */
export class ClarionError extends Error {
  readonly code: ClarionErrorCode;
  readonly details: ErrorDetails | undefined;

  constructor(
    code: ClarionErrorCode,
    message: string,
    options: { details?: ErrorDetails; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ClarionError';
    this.code = code;
    this.details = options.details;
  }

  static from(body: ErrorBody['error']): ClarionError {
    return new ClarionError(body.code, body.message, body.details ? { details: body.details } : {});
  }
}

/** The service's error inside whatever a refused handshake carried as `data`, or null. */
export function serviceError(data: unknown): ClarionError | null {
  if (typeof data !== 'object' || data === null) return null;
  const body = 'error' in data ? data.error : data;
  if (typeof body !== 'object' || body === null || !('code' in body) || typeof body.code !== 'string')
    return null;
  const message = 'message' in body && typeof body.message === 'string' ? body.message : body.code;
  const code = body.code as ErrorCode;
  return 'details' in body && body.details
    ? new ClarionError(code, message, { details: body.details as ErrorDetails })
    : new ClarionError(code, message);
}
