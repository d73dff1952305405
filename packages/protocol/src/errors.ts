/**
 * Every error that the service returns: code → default status and the message in the docs (docs/requirements.md#errors).
 * One class represents them; four mappers (HTTP, socket ack, MCP result, job outcome) convert it to a response.
 */
export const errorTable = {
  invalid_request: [
    400,
    'A field is missing, has the wrong type or is out of range, or a reference does not match anything.',
  ],
  unauthorized: [401, 'The API key or token is missing or invalid.'],
  tenant_outbound_blocked: [402, 'Outbound calls are blocked for this tenant.'],
  tenant_suspended: [402, 'The tenant or its account is suspended.'],
  tenant_insufficient_balance: [402, "The tenant's balance is too low for this call."],
  outbound_blocked: [402, 'Outbound calls are blocked for this account.'],
  account_suspended: [402, 'The account is suspended.'],
  insufficient_balance: [402, 'The account balance is too low for this call.'],
  consumer_suspended: [403, 'The account is suspended. Contact the operator.'],
  line_not_owned: [403, 'Only the owner of a personal line can place calls from it.'],
  destination_blocked: [403, 'This range of numbers is blocked.'],
  destination_not_allowed: [403, 'The plan does not allow calls to this country.'],
  emergency_not_supported: [403, 'This service cannot call emergency numbers.'],
  rate_too_high: [403, "The destination exceeds the plan's per-minute price limit."],
  self_service_off: [403, 'Self-service is off: the operator manages the trunks of this account.'],
  forbidden: [403, 'This session is not allowed to perform this action.'],
  not_found: [404, 'Resource not found.'],
  not_enabled: [404, 'Direct WhatsApp ingress is not configured.'],
  too_many_calls: [409, 'Concurrent call limit reached.'],
  invalid_channel: [409, 'The line belongs to another tenant.'],
  invalid_agent: [409, 'The agent belongs to another tenant.'],
  channel_disabled: [409, 'The line is not ACTIVE.'],
  unsupported_channel: [409, 'The line cannot place outbound calls: it has no trunk or no access token.'],
  agent_busy: [409, 'The agent is already on a call.'],
  agent_unavailable: [409, 'The agent is not available.'],
  invalid_customer: [409, "The customer's address is not valid for this line."],
  call_ended: [409, 'The call has already ended.'],
  call_active: [409, 'The call has not ended yet.'],
  idempotency_key_in_use: [409, 'A request with this Idempotency-Key is still running.'],
  in_use: [409, 'This resource is still in use.'],
  last_key: [409, 'The last active key cannot be revoked.'],
  kid_taken: [409, 'A signing key with this kid already exists.'],
  tenant_active: [409, 'The tenant must be SUSPENDED before it can be deleted.'],
  exists: [409, 'A resource with these values already exists.'],
  too_many_trunks: [409, 'The account has reached its trunk limit.'],
  audio_limit_reached: [409, 'The tenant has reached its audio limit.'],
  suspended: [409, 'The operator has suspended this trunk.'],
  invalid_state: [409, 'The current state does not allow this action.'],
  no_addresses: [409, 'The trunk has no source address.'],
  not_prepaid: [409, 'The account is not prepaid.'],
  not_open: [409, 'The invoice is not open.'],
  unchanged: [400, 'The new values are the same as the current ones.'],
  ended: [409, 'The entry has ended.'],
  idempotency_key_reused: [422, 'This Idempotency-Key was already used for a different request.'],
  rate_limited: [429, 'Too many requests. Try again later.'],
  too_soon: [429, 'Wait a few seconds before trying again.'],
  internal_error: [500, 'An unexpected error occurred.'],
  overloaded: [503, 'The service is overloaded. Try again in a few seconds.'],
  storage_unavailable: [503, 'File storage is unavailable. Nothing was changed.'],
  sip_unavailable: [503, 'The SIP gateway is unavailable.'],
} as const satisfies Record<string, readonly [status: number, sentence: string]>;

export type ErrorCode = keyof typeof errorTable;

/** `field` is the request field as sent; `usedBy` lists what uses an entity. */
export type ErrorDetails = { field?: string; usedBy?: string[] } & Record<string, unknown>;

export interface ErrorBody {
  error: { code: ErrorCode; message: string; details?: ErrorDetails };
}

/** Each bundle of a server may contain its own copy of this class; `instanceof` works across copies with this symbol. */
const MARK = Symbol.for('clarion.ApiError');

export class ApiError extends Error {
  static override [Symbol.hasInstance](value: unknown): value is ApiError {
    return typeof value === 'object' && value !== null && MARK in value;
  }
  get [MARK](): true {
    return true;
  }
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ErrorDetails | undefined;
  /** Seconds, for the Retry-After header. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ErrorCode,
    options: { message?: string; status?: number; details?: ErrorDetails; retryAfterSeconds?: number } = {},
  ) {
    super(options.message ?? errorTable[code][1]);
    this.name = 'ApiError';
    this.code = code;
    this.status = options.status ?? errorTable[code][0];
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  toBody(): ErrorBody {
    const { code, message, details } = this;
    return { error: details === undefined ? { code, message } : { code, message, details } };
  }
}

export const invalidField = (field: string, message: string) =>
  new ApiError('invalid_request', { message, details: { field } });
export const malformed = (message: string) => new ApiError('invalid_request', { message });
export const tooLarge = (limit: string) =>
  new ApiError('invalid_request', { status: 413, message: `The request body is larger than ${limit}.` });
export const notFound = (what: string) => new ApiError('not_found', { message: `${what} was not found.` });
export const inUse = (usedBy: string[]) => new ApiError('in_use', { details: { usedBy } });
export const unauthorized = (message?: string) => new ApiError('unauthorized', message ? { message } : {});
export const rateLimited = (retryAfterSeconds: number) => new ApiError('rate_limited', { retryAfterSeconds });
