/**
 * From what each leg should hear to how it is done: two legs that hear each other alone, in a codec both speak, are handed over to
 * mediasoup, whoever listens besides (they get copies); anything else is held by our own endpoints. Pure.
 */
import type { Route, Source } from '@clarion/protocol/media';
import type { Law } from '../rtp/g711.ts';

export interface PlanLeg {
  legId: string;
  /** Monitors are never handed over. */
  kind: 'carrier' | 'agent' | 'monitor';
  /** Audio may flow: an agent's transport is up, a carrier leg is answered or plays early media. */
  hasAudio: boolean;
  /** carrier: laws it takes; agent: the law it hasAudio. */
  laws: readonly Law[];
  /** Nothing forbids mediasoup for this leg at the moment. */
  ready: boolean;
  /** A carrier leg that is heard before it answers. */
  earlyMedia: boolean;
}

/**
 * A pair is handed over with each other. A carrier leg alone is, where it hears one agent and that agent hears it and more (a whisper, a
 * prompt): the agent is then held, and the carrier notices nothing of it.
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

/** Sources that exist; a leg never hears itself, and early media takes the place of our own ring tone. */
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

/** The carrier leg hears the agent alone; the agent hears it among others. */
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
