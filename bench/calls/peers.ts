/** The same signalling through programs that only signal (Kamailio) or that queue calls as we do (Asterisk). */
import { hasKamailio } from '@clarion/testkit/peers/kamailio';
import { asteriskCpuPerCall, hasAsterisk } from './asterisk.ts';
import { kamailioCpuPerCall } from './kamailio.ts';
import type { SignallingResult } from './signalling/measure.ts';
import { peersReport, type Peer } from './signalling/report.ts';
import { cpuMsOf } from './signalling/results.ts';

const SECONDS = 40;

/** Each peer gets the calls at the rate of our slowest load. Null without a peer or without inbound calls of ours. */
export async function compareSignalling(
  { phases }: SignallingResult,
  say: (line: string) => void,
): Promise<string | null> {
  const inbound = phases.filter(({ phase }) => phase.kind === 'answered' && !phase.overload);
  const ours = inbound.toSorted((a, b) => a.phase.rate - b.phase.rate)[0];
  if (!ours) return null;
  const { rate } = ours.phase;
  const calls = Math.ceil(rate * SECONDS);
  const peers: Peer[] = [];
  const measure = async (name: string, run: typeof kamailioCpuPerCall) => {
    say(`the signalling of ${calls} calls through ${name}, ${rate} a second`);
    const { cpuMs, completed } = await run(calls, rate);
    if (completed < calls) say(`note: ${name} completed ${completed} of ${calls}`);
    peers.push({ name, cpuMs });
  };
  if (hasKamailio) await measure('kamailio', kamailioCpuPerCall);
  else say('kamailio is not installed (Debian: kamailio): no proxy to compare with');
  if (hasAsterisk()) await measure('asterisk', asteriskCpuPerCall);
  else say('asterisk is not installed (Debian unstable: asterisk): no queue to compare with');
  if (peers.length === 0) return null;
  const { perCall } = ours;
  return peersReport({ gateway: perCall.cpuMs.sip ?? Number.NaN, service: cpuMsOf(perCall) }, peers);
}
