/**
 * The media of one call: its legs, and the loop that brings them to what the route says. Whatever changes (a route, a leg, a learned
 * source, a key being sent) only asks for another round; rounds of one call never overlap and always work on the newest state.
 */
import type { Route, Source } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { AgentLeg } from '../leg/agent-leg.ts';
import type { CarrierLeg } from '../leg/carrier-leg.ts';
import type { PlayerSource } from '../leg/player.ts';
import type { MediaWorker } from '../worker-pool.ts';
import { planRoute, type LegPlan, type PlanLeg } from './plan.ts';

export type AnyLeg = CarrierLeg | AgentLeg;

export class CallMedia {
  readonly callId: number;
  readonly media: MediaWorker;
  readonly legs = new Map<string, AnyLeg>();
  readonly #log: Logger;
  #route: Route = {};
  #revision = -1;
  #dirty = false;
  #running: Promise<void> | null = null;

  constructor(callId: number, media: MediaWorker, log: Logger) {
    this.callId = callId;
    this.media = media;
    this.#log = log;
  }

  get carriers(): CarrierLeg[] {
    return [...this.legs.values()].filter((leg) => leg.side === 'carrier');
  }

  get agents(): AgentLeg[] {
    return [...this.legs.values()].filter((leg) => leg.side === 'agent');
  }

  /** A route that has been taken already, or an older one, changes nothing. @returns whether it is new */
  setRoute(route: Route, revision: number): boolean {
    if (revision <= this.#revision) return false;
    this.#route = route;
    this.#revision = revision;
    this.changed();
    return true;
  }

  /** Some leg is to hear this one. */
  isHeard(legId: string): boolean {
    return Object.entries(this.#route).some(
      ([listener, sources]) =>
        this.legs.has(listener) && sources.some((source) => source.kind === 'leg' && source.legId === legId),
    );
  }

  /** One leg takes another's place in the route until realtime sends a new one. */
  rename(from: string, to: string): void {
    const renamed = (sources: Source[]): Source[] =>
      sources.map((source) =>
        source.kind === 'leg' && source.legId === from ? { ...source, legId: to } : source,
      );
    this.#route = Object.fromEntries(
      Object.entries(this.#route).map(([legId, sources]) => [legId === from ? to : legId, renamed(sources)]),
    );
    this.changed();
  }

  changed(): void {
    this.#dirty = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      // Between the last look and here somebody may have asked for another round.
      if (this.#dirty) this.changed();
    });
  }

  /** Resolves when nothing is left to do. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#dirty) {
      this.#dirty = false;
      await this.#round();
    }
  }

  async #round(): Promise<void> {
    const plan = planRoute([...this.legs.values()].map(planLegOf), this.#route);
    for (const carrier of this.carriers) {
      const partner = carrier.handedOverTo;
      if (!partner) continue;
      const own = plan.get(carrier.legId);
      const stays = own?.mode === 'mediasoup' && own.with === partner.legId && !partner.closed;
      if (stays) continue;
      const agentSources = this.#sources(plan.get(partner.legId));
      await this.#attempt(carrier, () => carrier.takeBack(this.#sources(own), agentSources));
    }
    for (const leg of this.legs.values()) {
      const own = plan.get(leg.legId);
      // RecordingInfo to be handed over: a few packets through the ear would only be heard twice, with the browser's fading of them.
      if (own?.mode === 'mediasoup') continue;
      if (leg.side === 'agent') {
        if (!this.#isHandedOver(leg)) await this.#attempt(leg, () => leg.hear(this.#sources(own)));
      } else if (!leg.handedOverTo) {
        leg.hear(this.#sources(own));
      }
    }
    for (const carrier of this.carriers) {
      const own = plan.get(carrier.legId);
      if (own?.mode !== 'mediasoup') continue;
      const agent = this.legs.get(own.with);
      if (agent?.side !== 'agent') continue;
      const hears = plan.get(agent.legId);
      const direct = hears?.mode === 'mediasoup';
      if (carrier.handedOverTo) {
        await this.#attempt(agent, () => carrier.setAgentSources(direct ? null : this.#sources(hears)));
        continue;
      }
      // A leg that could not be handed over is held from the next round on.
      if (!(await this.#attempt(carrier, () => carrier.handOver(agent, direct)))) this.#dirty = true;
    }
  }

  /** What fails for one leg (it may be closing) must not keep the others from their place. */
  async #attempt(leg: AnyLeg, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      this.#log.warn(
        { err: error, callId: this.callId, legId: leg.legId },
        'failed to change the endpoint of a leg',
      );
      return false;
    }
  }

  #isHandedOver(agent: AgentLeg): boolean {
    return this.carriers.some((carrier) => carrier.handedOverTo === agent);
  }

  #sources(plan: LegPlan | undefined): PlayerSource[] {
    if (plan?.mode !== 'local') return [];
    return plan.hears.flatMap((source): PlayerSource[] => {
      if (source.kind === 'tone') return [{ kind: 'tone', tone: source.tone }];
      if (source.kind === 'audio') return [source];
      const leg = this.legs.get(source.legId);
      return leg ? [{ kind: 'voice', voice: leg.voice }] : [];
    });
  }
}

function planLegOf(leg: AnyLeg): PlanLeg {
  if (leg.side === 'agent') {
    return {
      legId: leg.legId,
      kind: leg.kind,
      hasAudio: leg.state !== 'CONNECTING',
      laws: [leg.law],
      ready: !leg.closed && leg.state !== 'CONNECTING',
      earlyMedia: false,
    };
  }
  return {
    legId: leg.legId,
    kind: 'carrier',
    hasAudio: leg.state === 'CONNECTED',
    laws: leg.laws.map(({ law }) => law),
    ready: leg.ready,
    earlyMedia: leg.hasEarlyMedia,
  };
}
