/** Consumer row → what the operator sees. */
import type { Consumer } from '@clarion/db';

export interface ConsumerView {
  id: number;
  slug: string;
  name: string;
  status: 'ACTIVE' | 'SUSPENDED';
  selfService: 'OFF' | 'APPROVAL' | 'AUTO';
  recordingEnabled: boolean;
  webhookUrl: string | null;
  lookupUrl: string | null;
  plan: { callsAtOnce: number; outboundPerMinute: number; countries: string[] };
  createdAt: string;
}

export const presentConsumer = (consumer: Consumer): ConsumerView => ({
  id: consumer.id,
  slug: consumer.slug,
  name: consumer.name,
  status: consumer.status,
  selfService: consumer.selfService,
  recordingEnabled: consumer.recordingEnabled,
  webhookUrl: consumer.webhookUrl,
  lookupUrl: consumer.lookupUrl,
  plan: {
    callsAtOnce: consumer.planCallsAtOnce,
    outboundPerMinute: consumer.planOutboundPerMinute,
    countries: consumer.planCountries,
  },
  createdAt: consumer.createdAt.toISOString(),
});
