/** The errors of Meta's Graph API and of its call webhooks. Messages say what to do, because the consumer's support reads them. Pure. */

/** An error as the platform reports it, in a response or in a terminate webhook. */
export interface GraphError {
  /** Null: the response has no valid error object. */
  code: number | null;
  subcode: number | null;
  message: string;
  details: string | null;
}

/**
 * What an error is about. permission: the customer has not allowed calls. limit: too many calls or requests, later ones may succeed.
 * customer: this person cannot be called. line: the number's set-up at Meta. credentials: the access token. request: a defect of ours.
 * platform: Meta failed. media: audio could not be set up, or stopped.
 */
export type GraphErrorKind =
  'permission' | 'limit' | 'customer' | 'line' | 'credentials' | 'request' | 'platform' | 'media';

interface GraphErrorRule {
  kind: GraphErrorKind;
  message: string;
  /** Whether Meta's details contain something that the message cannot, such as the time after which calls are allowed again. */
  withDetails?: true;
}

const TOKEN_INVALID =
  'WhatsApp rejected the access token of the line. Save a valid access_token in the line.';
const TOKEN_LACKS_PERMISSION =
  'The access token of the line lacks a permission. Create one with whatsapp_business_messaging and whatsapp_business_management.';
const TOO_MANY_REQUESTS = 'WhatsApp rejected the request because there were too many. Try again later.';
const META_FAILED = 'WhatsApp failed to process the request. Try again; if it persists, see status.fb.com.';

const graphErrors: Readonly<Record<number, GraphErrorRule>> = {
  // General errors of the Graph API.
  1: { kind: 'platform', message: META_FAILED },
  2: { kind: 'platform', message: META_FAILED },
  3: { kind: 'credentials', message: TOKEN_LACKS_PERMISSION },
  4: { kind: 'limit', message: TOO_MANY_REQUESTS },
  10: { kind: 'credentials', message: TOKEN_LACKS_PERMISSION },
  100: {
    kind: 'request',
    message: 'WhatsApp rejected a parameter or the SDP of the call.',
    withDetails: true,
  },
  104: { kind: 'credentials', message: TOKEN_INVALID },
  190: { kind: 'credentials', message: TOKEN_INVALID },
  200: { kind: 'credentials', message: TOKEN_LACKS_PERMISSION },
  368: {
    kind: 'line',
    message: 'Meta restricted the WhatsApp account because of a policy violation. See the WhatsApp Manager.',
  },
  613: { kind: 'limit', message: 'The permission of this customer was read too often. Try again later.' },
  2500: { kind: 'request', message: 'WhatsApp does not know the path of the request.' },
  2635: { kind: 'request', message: 'WhatsApp no longer supports the version of its API that is used.' },
  80007: { kind: 'limit', message: TOO_MANY_REQUESTS },
  // General errors of the WhatsApp Cloud API.
  130429: { kind: 'limit', message: TOO_MANY_REQUESTS },
  131000: { kind: 'platform', message: META_FAILED },
  131005: { kind: 'credentials', message: TOKEN_LACKS_PERMISSION },
  131008: { kind: 'request', message: 'WhatsApp misses a parameter of the request.', withDetails: true },
  131009: { kind: 'request', message: 'WhatsApp rejected a parameter of the request.', withDetails: true },
  131016: { kind: 'platform', message: 'WhatsApp is temporarily unavailable. Try again later.' },
  131021: { kind: 'customer', message: 'The customer has the same WhatsApp number as the line.' },
  131026: { kind: 'customer', message: 'The number has no WhatsApp account that can be reached.' },
  131030: {
    kind: 'line',
    message: 'The line is a test number, and the customer is not in its list of allowed recipients at Meta.',
  },
  131031: { kind: 'line', message: 'Meta locked the WhatsApp account. See the WhatsApp Manager.' },
  131042: {
    kind: 'line',
    message:
      'The WhatsApp account has a problem with its payment method. Correct it in the WhatsApp Manager.',
  },
  131044: {
    kind: 'line',
    message: 'The WhatsApp account has no payment method. Add one in the WhatsApp Manager.',
  },
  131047: {
    kind: 'permission',
    message:
      'The customer has not written in the last 24 hours, so WhatsApp does not deliver the request. Send a message template first.',
  },
  131055: {
    kind: 'line',
    message: 'The number uses SIP at Meta. Disable SIP in its calling settings to use it here.',
  },
  131056: { kind: 'limit', message: 'Too many messages were sent to this customer. Try again later.' },
  // Errors of calling.
  138000: {
    kind: 'line',
    message: 'Calling is not enabled for the number. Enable it in its calling settings at Meta.',
  },
  138001: {
    kind: 'customer',
    message: 'The customer cannot be called: the app is too old, or calls are not available to them.',
  },
  138002: { kind: 'limit', message: 'The number has reached the limit of concurrent calls of WhatsApp.' },
  138003: {
    kind: 'limit',
    message: 'A call between the number and this customer is in progress. Try again when it has ended.',
  },
  138004: { kind: 'platform', message: 'WhatsApp could not connect the call. Try again.' },
  138005: { kind: 'limit', message: 'Too many calls were placed from the number. Try again later.' },
  138006: {
    kind: 'permission',
    message: 'The customer has not allowed calls from this number. Ask for the permission first.',
  },
  138007: { kind: 'media', message: 'WhatsApp could not set up the call in time. Try again.' },
  138009: {
    kind: 'limit',
    message:
      'The customer was asked for the permission too often. WhatsApp allows once a day and twice a week.',
    withDetails: true,
  },
  138012: {
    kind: 'limit',
    message: 'The limit of calls to this customer within 24 hours is reached.',
    withDetails: true,
  },
  138013: {
    kind: 'line',
    message: 'Calls to customers are not available for this number, for example because of its country.',
    withDetails: true,
  },
  138014: {
    kind: 'line',
    message:
      'Meta paused calling for the number because of negative feedback. Calling returns after some days.',
    withDetails: true,
  },
  138015: {
    kind: 'line',
    message: 'Calling cannot be enabled for the number. See its requirements in the WhatsApp Manager.',
    withDetails: true,
  },
  138017: { kind: 'permission', message: 'The customer has already allowed calls permanently.' },
  138018: {
    kind: 'line',
    message: 'The number does not meet the requirements for calling, such as the subscription to `calls`.',
    withDetails: true,
  },
  138019: { kind: 'media', message: 'WhatsApp could not set up the call.' },
  138020: { kind: 'media', message: 'The relay of WhatsApp failed.' },
  138021: {
    kind: 'media',
    message: 'WhatsApp received no audio. Check that UDP to the internet is allowed.',
  },
  138022: { kind: 'media', message: 'WhatsApp could not send audio to the service.' },
  138023: {
    kind: 'media',
    message: 'The call was accepted, but no audio followed. Check that UDP to the internet is allowed.',
  },
};

/** 200 to 299 are permission errors of the Graph API. */
const isPermissionCode = (code: number) => code >= 200 && code <= 299;

const UNKNOWN: GraphErrorRule = {
  kind: 'platform',
  message: 'WhatsApp reported an error.',
  withDetails: true,
};

/** A subcode of 100: the object of the path does not exist, or the token may not read it. */
const NO_SUCH_OBJECT = { code: 100, subcode: 33 };
const UNKNOWN_NUMBER: GraphErrorRule = {
  kind: 'line',
  message:
    'WhatsApp does not know the number, or the access token may not use it. Check provider_account_id.',
};

type Codes = Pick<GraphError, 'code' | 'subcode'>;

function ruleOf({ code, subcode }: Codes): GraphErrorRule {
  if (code === null) return UNKNOWN;
  if (code === NO_SUCH_OBJECT.code && subcode === NO_SUCH_OBJECT.subcode) return UNKNOWN_NUMBER;
  const rule = graphErrors[code];
  if (rule) return rule;
  return isPermissionCode(code) ? { kind: 'credentials', message: TOKEN_LACKS_PERMISSION } : UNKNOWN;
}

export const kindOfGraphError = (error: Codes): GraphErrorKind => ruleOf(error).kind;

/** The codes with an entry of their own, for documentation and tests. */
export const knownGraphErrorCodes: readonly number[] = Object.keys(graphErrors).map(Number);

/** What to tell the consumer about an error: our sentence, and Meta's details where they add something. */
export function messageOfGraphError(error: GraphError): string {
  const { message, withDetails } = ruleOf(error);
  const theirs = error.details ?? error.message;
  return withDetails && theirs !== '' ? `${message} WhatsApp: ${theirs}` : message;
}

/** Why Meta's response is not known. */
export type GraphSilence = 'timeout' | 'unreachable' | 'malformed';

const silences: Record<GraphSilence, string> = {
  timeout: 'WhatsApp did not respond in time.',
  unreachable: 'WhatsApp could not be reached. Check CLARION_GRAPH_URL and the connection to the internet.',
  malformed: 'The response of WhatsApp could not be read.',
};

export const messageOfSilence = (silence: GraphSilence): string => silences[silence];
