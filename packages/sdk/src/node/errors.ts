import type { ErrorCode, ErrorDetails } from './endpoints.ts';

export interface ApiErrorFields {
  status: number;
  code: string;
  message: string;
  details?: ErrorDetails | undefined;
  retryAfterSeconds?: number | undefined;
  requestId?: string | undefined;
}

/** The service refused a request, or could not do it. `isApiError(error, 'call_ended')` tells which. */
export class ApiError extends Error {
  /** One of `ErrorCode`, or one that this version does not know yet. */
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  /** `field` is the field at fault as it was sent, such as `members[2].priority`; `usedBy` what still uses a thing. */
  readonly details: ErrorDetails | undefined;
  /** How long to wait before another try. */
  readonly retryAfterSeconds: number | undefined;
  /** X-Request-Id: what to quote to the operator. */
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

/** Whether it is an answer of the service, with one of these codes if any are named; `error.code` is one of them then. */
export function isApiError<const Codes extends readonly ErrorCode[]>(
  error: unknown,
  ...codes: Codes
): error is ApiError & { readonly code: Codes extends readonly [] ? ApiError['code'] : Codes[number] } {
  return error instanceof ApiError && (codes.length === 0 || codes.some((code) => code === error.code));
}

/** The service could not be reached, or did not answer in time. What was asked for may have been done all the same. */
export class ConnectionError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'ConnectionError';
  }
}
