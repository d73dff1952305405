/** The resources of the set-up pages, as `/v1` returns them. */
import type { Answer } from '../request.ts';

export type Tenant = Answer<'GET', '/v1/tenants'>['tenants'][number];
export type Agent = Answer<'GET', '/v1/tenants/{tenantRef}/agents'>['agents'][number];
export type Queue = Answer<'GET', '/v1/tenants/{tenantRef}/queues'>['queues'][number];
export type Line = Answer<'GET', '/v1/tenants/{tenantRef}/channels'>['channels'][number];
export type Flow = Answer<'GET', '/v1/tenants/{tenantRef}/ivr-flows'>['ivrFlows'][number];
export type Trunk = Answer<'GET', '/v1/sip-trunks'>['trunks'][number];
/** A trunk of the account, with its settings. */
export type OwnTrunk = Extract<Trunk, { host: string }>;
export type SelfService = Answer<'GET', '/v1/sip-trunks'>['selfService'];
export type PricePlan = Answer<'GET', '/v1/price-plans'>['plans'][number];
export type RateDeck = Answer<'GET', '/v1/rate-decks'>['decks'][number];
export type AudioAsset = Answer<'GET', '/v1/tenants/{tenantRef}/audio-assets'>['audioAssets'][number];
export type WebhookEvent = Answer<'GET', '/v1/events'>['events'][number];
