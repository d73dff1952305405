/** What Prometheus reads of a media node. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Calls } from './calls.ts';

export interface MetricsInput {
  calls: Calls;
  realtimeNodes: () => number;
  unreportedFacts: () => number;
  rtpPortsInUse: () => number;
  sipUp: () => boolean;
  recordings: () => { live: number; pending: number };
}

export function createMetrics(input: MetricsInput): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'clarion_media_' });
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `clarion_media_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  const carriers = () => input.calls.legs.filter((leg) => leg.side === 'carrier');
  gauge('legs', 'Legs of all kinds', () => input.calls.legCount);
  gauge(
    'carrier_legs_handed_over',
    'Carrier legs served by mediasoup',
    () => carriers().filter((leg) => leg.handedTo !== null).length,
  );
  gauge(
    'carrier_legs_held',
    'Carrier legs served by our own endpoint',
    () => carriers().filter((leg) => leg.handedTo === null).length,
  );
  gauge('realtime_nodes', 'Realtime nodes connected', input.realtimeNodes);
  gauge('unreported_facts', 'Facts no realtime node has taken yet', input.unreportedFacts);
  gauge('rtp_port_pairs', 'RTP port pairs in use', input.rtpPortsInUse);
  gauge('recordings_live', 'Calls that are being recorded', () => input.recordings().live);
  gauge(
    'recordings_pending',
    'Recordings on their way to the store, or not yet told of',
    () => input.recordings().pending,
  );
  gauge('sip_up', '1 when the SIP server is connected', () => (input.sipUp() ? 1 : 0));
  return registry;
}
