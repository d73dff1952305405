import type { ErrorBody, ErrorCode, ErrorDetails } from '@clarion/protocol/errors';

/** Errors that occur in the SDK. All other codes come from the service. */
export type LocalErrorCode =
  /** The service could not be reached in time. */
  | 'connection_failed'
  /** The connection was lost before the service responded. The next `session` shows whether the request took effect. */
  | 'connection_lost'
  /** The service did not respond in time. */
  | 'request_timeout'
  /** `disconnect()` was called. */
  | 'disconnected'
  /** `getToken` threw or returned nothing. */
  | 'token_failed'
  /** The browser or the user denied access to the microphone. */
  | 'microphone_blocked'
  /** There is no microphone, or another program is using it. */
  | 'microphone_unavailable'
  /** The audio could not be negotiated or connected. */
  | 'media_failed'
  /** The call is in a state that does not allow this. */
  | 'wrong_state'
  /** This browser, or this page in a frame, cannot receive push notifications. */
  | 'web_push_unsupported'
  /** The account has no credentials for web push. */
  | 'web_push_not_set_up'
  /** The user or the browser denied the permission to show notifications. */
  | 'notifications_blocked'
  /** The service worker could not be started, or the browser could not subscribe to its push service. */
  | 'web_push_failed';

export type ClarionErrorCode = ErrorCode | LocalErrorCode;

/** The error class of this SDK. */
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

/** The service's error in the `data` of a rejected handshake, or null. */
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
