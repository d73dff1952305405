/** Errors of the Graph API: the documented codes, and the body in which Meta writes them. Pure. */

/** code → HTTP status and message. Errors with HTTP status 0 occur only in a terminate webhook. */
const table = {
  4: { http: 429, message: 'Application request limit reached' },
  10: { http: 403, message: 'Application does not have permission for this action' },
  100: { http: 400, message: 'Invalid parameter' },
  104: { http: 401, message: 'An access token is required to request this resource.' },
  131000: { http: 500, message: 'Something went wrong' },
  131016: { http: 503, message: 'Service unavailable' },
  131030: { http: 400, message: 'Recipient phone number not in allowed list' },
  131044: { http: 400, message: 'Business eligibility payment issue' },
  131047: { http: 400, message: 'Re-engagement message' },
  131055: { http: 400, message: 'Calling by Graph API is disabled because SIP is enabled' },
  130429: { http: 429, message: 'Rate limit hit' },
  138000: { http: 401, message: 'Calling not enabled' },
  138001: { http: 400, message: 'Receiver Uncallable' },
  138002: { http: 429, message: 'Concurrent Calls Limit' },
  138003: { http: 400, message: 'Duplicate call' },
  138004: { http: 500, message: 'Connection error' },
  138005: { http: 429, message: 'Call rate limit exceeded' },
  138006: { http: 401, message: 'No approved call permission from the recipient' },
  138007: { http: 500, message: 'Connection timeout error' },
  138009: { http: 400, message: 'Call permission request limit hit' },
  138012: { http: 400, message: 'Business initiated calls limit hit' },
  138013: { http: 400, message: 'Business initiated calling is not available' },
  138014: { http: 400, message: 'Business initiated calling is paused because of low quality' },
  138015: { http: 400, message: 'Calling cannot be enabled' },
  138017: { http: 400, message: 'Permanent call permission already exists' },
  138018: { http: 400, message: 'Calling prerequisites are not met' },
  138019: { http: 0, message: 'Call setup failed' },
  138020: { http: 0, message: 'Relay connection failed' },
  138021: { http: 0, message: 'Media receive timeout' },
  138022: { http: 0, message: 'Media transmit timeout' },
  138023: { http: 0, message: 'Call accepted without media signals' },
  190: { http: 401, message: 'Invalid OAuth access token - Cannot parse access token' },
  2500: { http: 400, message: 'Unknown path components' },
  2635: { http: 400, message: 'You are calling a deprecated version of the API' },
  613: { http: 429, message: 'Calls to this api have exceeded the rate limit' },
  80007: { http: 429, message: 'Rate limit issues' },
} as const;

export type GraphErrorCode = keyof typeof table;

export const isGraphErrorCode = (code: number): code is GraphErrorCode => code in table;

/** Meta's subcode of an SDP whose first fingerprint is not the only one or not SHA-256. */
export const FINGERPRINT_SUBCODE = 2_494_010;
/** Meta's subcode of an object that does not exist or that the token may not read. */
export const NO_SUCH_OBJECT_SUBCODE = 33;

export class GraphError extends Error {
  readonly code: GraphErrorCode;
  readonly http: number;
  readonly subcode: number | null;
  readonly details: string | null;

  constructor(code: GraphErrorCode, details: string | null = null, subcode: number | null = null) {
    const { message, http } = table[code];
    super(message);
    this.code = code;
    // A code of the terminate webhook, injected as a response.
    this.http = http || 500;
    this.subcode = subcode;
    this.details = details;
  }

  body(traceId: string): object {
    return {
      error: {
        message: `(#${this.code}) ${this.message}`,
        type: 'OAuthException',
        code: this.code,
        ...(this.subcode === null ? {} : { error_subcode: this.subcode }),
        ...(this.details === null
          ? {}
          : { error_data: { messaging_product: 'whatsapp', details: this.details } }),
        fbtrace_id: traceId,
      },
    };
  }

  /** As in `value.errors` of a webhook. */
  static inWebhook(code: GraphErrorCode, details: string): object {
    return {
      code,
      message: table[code].message,
      href: 'https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes/',
      error_data: { details },
    };
  }
}

/** Error 100, naming the field. */
export const invalidParameter = (details: string): GraphError => new GraphError(100, details);

export const noSuchObject = (method: string, id: string): GraphError =>
  new GraphError(
    100,
    `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
    NO_SUCH_OBJECT_SUBCODE,
  );
