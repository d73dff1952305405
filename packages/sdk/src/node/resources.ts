/** Names for the resources that endpoints return. */
import type { Endpoints, WebhookEvent } from './endpoints.ts';

export type Tenant = Endpoints['getTenant']['answer']['tenant'];
export type Agent = Endpoints['getAgent']['answer']['agent'];
export type Queue = Endpoints['getQueue']['answer']['queue'];
export type Channel = Endpoints['getChannel']['answer']['channel'];
export type IvrFlow = Endpoints['getIvrFlow']['answer']['ivrFlow'];
export type AudioAsset = Endpoints['getAudioAsset']['answer']['audioAsset'];
export type Trunk = Endpoints['getTrunk']['answer']['trunk'];
export type CallDetail = Endpoints['getCall']['answer'];
export type Call = CallDetail['call'];
export type UsageRecord = Endpoints['listUsage']['answer']['usage'][number];
export type DeliveredEvent = Endpoints['listEvents']['answer']['events'][number];
export type WebhookEventType = WebhookEvent['event_type'];
