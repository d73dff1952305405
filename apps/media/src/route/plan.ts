/**
 * Decides how the route is carried out: two legs that hear only each other, in a common codec, are handed over to
 * mediasoup, regardless of other listeners (they get copies). All other legs use local endpoints. Pure.
 */
import type { Route, Source } from '@clarion/protocol/media';
import type { Law } from '../rtp/g711.ts';

export interface PlanLeg {
  legId: string;
  /** Monitors are never handed over. */
  kind: 'carrier' | 'agent' | 'monitor';
  /** Whether audio may flow: an agent's transport is connected, a carrier leg is answered or has early media. */
  hasAudio: boolean;
  /** For a carrier leg, the codecs it accepts; for an agent leg, the codec it sends. */
  laws: readonly Law[];
  /** Whether mediasoup could serve this leg at the moment. */
  ready: boolean;
  /** Whether a carrier leg sends audio before it has answered. */
  earlyMedia: boolean;
}

/**
 * mediasoup: the leg is handed over together with its partner. A carrier leg is handed over alone if it hears only one
 * agent, and that agent hears the carrier leg and other sources (a whisper, a prompt). The agent then hears the player,
 * and the carrier is not affected.
 */
export type LegPlan = { mode: 'mediasoup'; with: string } | { mode: 'local'; hears: Source[] };

export function planRoute(legs: readonly PlanLeg[], route: Route): Map<string, LegPlan> {
  const known = new Map(legs.map((leg) => [leg.legId, leg]));
  const early = legs.find((leg) => leg.kind === 'carrier' && leg.earlyMedia);
  const hears = new Map(legs.map((leg) => [leg.legId, heardBy(leg, route[leg.legId] ?? [], known, early)]));
  const plan = new Map<string, LegPlan>();
  for (const leg of legs) {
    const partner = known.get(onlyVoice(hears.get(leg.legId)) ?? '');
    plan.set(
      leg.legId,
      partner && (isPair(leg, partner, hears) || hearsOnlyAgent(leg, partner, hears))
        ? { mode: 'mediasoup', with: partner.legId }
        : { mode: 'local', hears: hears.get(leg.legId) ?? [] },
    );
  }
  return plan;
}

/** The sources that exist. A leg never hears itself, and early media replaces our ringback. */
function heardBy(
  leg: PlanLeg,
  sources: readonly Source[],
  known: ReadonlyMap<string, PlanLeg>,
  early: PlanLeg | undefined,
): Source[] {
  const heard: Source[] = [];
  for (const source of sources) {
    if (source.kind === 'leg') {
      if (source.legId !== leg.legId && known.has(source.legId)) heard.push(source);
    } else if (source.kind === 'tone' && source.tone === 'ringback' && leg.kind === 'agent' && early) {
      heard.push({ kind: 'leg', legId: early.legId });
    } else {
      heard.push(source);
    }
  }
  return heard;
}

function onlyVoice(sources: readonly Source[] | undefined): string | null {
  const [only] = sources ?? [];
  return sources?.length === 1 && only?.kind === 'leg' ? only.legId : null;
}

function isPair(a: PlanLeg, b: PlanLeg, hears: ReadonlyMap<string, Source[]>): boolean {
  if (onlyVoice(hears.get(a.legId)) !== b.legId || onlyVoice(hears.get(b.legId)) !== a.legId) return false;
  return a.kind === 'carrier' ? canHandOver(a, b) : canHandOver(b, a);
}

/** The carrier leg hears only the agent; the agent hears it among others. */
function hearsOnlyAgent(carrier: PlanLeg, agent: PlanLeg, hears: ReadonlyMap<string, Source[]>): boolean {
  const heard = hears.get(agent.legId) ?? [];
  return (
    heard.some((source) => source.kind === 'leg' && source.legId === carrier.legId) &&
    canHandOver(carrier, agent)
  );
}

function canHandOver(carrier: PlanLeg, agent: PlanLeg): boolean {
  if (carrier.kind !== 'carrier' || agent.kind !== 'agent') return false;
  if (![carrier, agent].every((leg) => leg.hasAudio && leg.ready)) return false;
  return agent.laws.every((law) => carrier.laws.includes(law));
}
