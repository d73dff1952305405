/** A backend's side of Clarion: sign tokens, verify webhooks, call the Management API. */
export {
  createClient,
  ConnectionError,
  type AnswerOf,
  type ClarionClient,
  type ClientOptions,
  type InputOf,
  type RequestOptions,
} from './client.ts';
export {
  signAgentToken,
  signLaunchToken,
  type AgentTokenClaims,
  type LaunchTokenClaims,
  type Signer,
} from './tokens.ts';
export {
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookRefusal,
  type WebhookRequest,
} from './webhook.ts';
export { ApiError, type ErrorCode } from '@clarion/protocol/errors';
export type { Envelope as WebhookEvent } from '@clarion/protocol/events';
