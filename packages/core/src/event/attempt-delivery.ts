/** One POST of one event: signed, sent, and the result as text. It changes nothing in the database; see record-attempts.ts. */
import { EgressRefused } from '../egress/guard.ts';
import type { Attempt, DeliveryContext, DueEvent } from './delivery.ts';
import { signedHeaders, signingSecrets } from './signature.ts';
import { openedWebhookKeys } from './webhook-keys.ts';

/** No response within this time is a failure (docs/requirements.md#events). */
const DELIVERY_TIMEOUT_MS = 10_000;
/** How much of a response body GET /v1/events shows. */
const SNIPPET_BYTES = 1_024;
const USER_AGENT = 'Clarion-Webhooks/1';

/** Null: there is no URL, because the webhook was removed after the event was recorded. */
export async function attemptDelivery(ctx: DeliveryContext, due: DueEvent): Promise<Attempt | null> {
  const at = ctx.now();
  const keys = signingSecrets(due.endpoint, at).map((sealed) => openedWebhookKeys(ctx.secrets, sealed));
  if (due.endpoint.webhookUrl === null || keys.length === 0) return null;
  const headers = {
    'user-agent': USER_AGENT,
    ...signedHeaders({ id: due.eventId, body: due.body, at }, keys),
  };
  return post(ctx, due.endpoint.webhookUrl, due.body, headers, at);
}

async function post(
  { egress, now }: DeliveryContext,
  url: string,
  body: string,
  headers: Record<string, string>,
  at: Date,
): Promise<Attempt> {
  const duration = () => Math.max(0, now().getTime() - at.getTime());
  try {
    const limits = { timeoutMs: DELIVERY_TIMEOUT_MS, maxBodyBytes: SNIPPET_BYTES };
    const { status, text } = await egress.post(url, { headers, body, ...limits });
    const error = isSuccess(status) ? null : `The endpoint returned ${status}.`;
    return { at, durationMs: duration(), status, error, responseSnippet: storable(text) };
  } catch (thrown) {
    return { at, durationMs: duration(), status: null, error: errorMessage(thrown), responseSnippet: null };
  }
}

/** Only a 2xx status counts as delivered (docs/requirements.md#events). */
export const isSuccess = (status: number | null): boolean => status !== null && status >= 200 && status < 300;

/** PostgreSQL text cannot contain NUL. */
const storable = (text: string) => text.replaceAll('\0', '');

const NETWORK_ERRORS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the response was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the response was complete.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for a different host name.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is not issued by a trusted authority.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is not issued by a trusted authority.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is not issued by a trusted authority.',
  ENOTFOUND: 'The host name could not be resolved.',
  ENODATA: 'The host name does not resolve to an IP address.',
  EHOSTUNREACH: 'The host is unreachable.',
  ENETUNREACH: 'The network is unreachable.',
};

/** The reason as shown to the consumer. It reveals nothing about our own network. */
function errorMessage(error: unknown): string {
  if (error instanceof EgressRefused) return error.message;
  if (!(error instanceof Error)) return 'The request failed.';
  if (error.name === 'TimeoutError') return `No response within ${DELIVERY_TIMEOUT_MS / 1000} seconds.`;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : error.name;
  return NETWORK_ERRORS[code] ?? `The request failed (${code}).`;
}
