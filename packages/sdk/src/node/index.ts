/** The Clarion SDK for backends: call the Management API, sign tokens, receive webhooks. */
export {
  createClient,
  type AnswerOf,
  type ClarionClient,
  type ClientOptions,
  type InputOf,
} from './client.ts';
export type { EndpointName, ErrorCode, ErrorDetails, WebhookEvent } from './endpoints.ts';
export { ApiError, ConnectionError, isApiError } from './errors.ts';
export { ApiFile } from './file.ts';
export type { RequestOptions } from './request.ts';
export type * from './resources.ts';
export {
  signAgentToken,
  signLaunchToken,
  type AgentTokenClaims,
  type LaunchTokenClaims,
  type Signer,
} from './tokens.ts';
export {
  isLater,
  verifyWebhook,
  WebhookVerificationError,
  type WebhookHeaders,
  type WebhookOptions,
  type WebhookRefusal,
  type WebhookRequest,
  type WebhookSecret,
} from './webhook.ts';
export { createWebhookHandler, type WebhookHandler, type WebhookHandlerOptions } from './webhook-handler.ts';
