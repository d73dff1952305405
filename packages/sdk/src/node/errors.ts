import type { ErrorCode, ErrorDetails } from './endpoints.ts';

export interface ApiErrorFields {
  status: number;
  code: string;
  message: string;
  details?: ErrorDetails | undefined;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
}

/** The service rejected a request or failed. `isApiError(error, 'call_ended')` checks for a code. */
export class ApiError extends Error {
  /** An `ErrorCode`, or a code that this version does not know yet. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  /** `field` is the path of the invalid field, such as `members[2].priority`; `usedBy` lists what still uses the resource. */
  readonly details: ErrorDetails | undefined;
  /** How long to wait before the next attempt. */
  readonly retryAfterSeconds: number | undefined;
  /** The X-Request-Id, to quote to the operator. */
  readonly requestId: string | undefined;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.name = 'ApiError';
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.requestId = fields.requestId;
  }
}

/** Whether it is an error of the service, with one of these codes if any are given. Narrows `error.code` to them. */
export function isApiError<const Codes extends readonly ErrorCode[]>(
  error: unknown,
  ...codes: Codes
): error is ApiError & { readonly code: Codes extends readonly [] ? ApiError['code'] : Codes[number] } {
  return error instanceof ApiError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** The service could not be reached or did not respond in time. The request may have taken effect. */
export class ConnectionError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}
