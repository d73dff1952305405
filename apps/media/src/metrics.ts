/** The Prometheus metrics of a media node. */
import { LOOP_SAMPLE_MS } from '@clarion/protocol/process-metrics';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Calls } from './calls.ts';

export interface MetricsInput {
  calls: Calls;
  realtimeNodes: () => number;
  unreportedFacts: () => number;
  rtpPortsInUse: () => number;
  sipUp: () => boolean;
  draining: () => boolean;
  rejectedInvites: () => number;
  recordings: () => { live: number; pending: number };
}

export function createMetrics(input: MetricsInput): Registry {
  const registry = new Registry();
  collectDefaultMetrics({
    register: registry,
    prefix: 'clarion_media_',
    eventLoopMonitoringPrecision: LOOP_SAMPLE_MS,
  });
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
    () => carriers().filter((leg) => leg.handedOverTo !== null).length,
  );
  gauge(
    'carrier_legs_held',
    'Carrier legs served by local RTP endpoints',
    () => carriers().filter((leg) => leg.handedOverTo === null).length,
  );
  gauge(
    'whatsapp_legs',
    'Legs of customers who speak over WhatsApp',
    () => input.calls.legs.filter((leg) => leg.side === 'whatsapp').length,
  );
  gauge('realtime_nodes', 'Realtime nodes connected', input.realtimeNodes);
  gauge('unreported_facts', 'Facts that no realtime node has acknowledged', input.unreportedFacts);
  gauge('rtp_port_pairs', 'RTP port pairs in use', input.rtpPortsInUse);
  gauge('recordings_live', 'Calls being recorded', () => input.recordings().live);
  gauge(
    'recordings_pending',
    'Recordings not yet stored or not yet reported',
    () => input.recordings().pending,
  );
  gauge('draining', '1 while the node waits for its calls to end', () => (input.draining() ? 1 : 0));
  gauge('sip_up', '1 when the SIP server is connected', () => (input.sipUp() ? 1 : 0));
  new Counter({
    name: 'clarion_media_invites_rejected_total',
    help: 'INVITEs rejected without a decision because realtime was overloaded',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(input.rejectedInvites());
    },
  });
  return registry;
}
