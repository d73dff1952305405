/**
 * The media of one call: its legs, and the loop that applies the route to them. Every change (a route, a leg, a learned
 * source, DTMF) only schedules an update; updates of one call never overlap and always use the latest state.
 */
import type { Route, Source } from '@clarion/protocol/media';
import type { Logger } from 'pino';
import type { AgentLeg } from '../leg/agent-leg.ts';
import type { CarrierLeg } from '../leg/carrier-leg.ts';
import type { CustomerLeg } from '../leg/customer-leg.ts';
import type { PlayerSource } from '../leg/player.ts';
import type { WhatsAppLeg } from '../whatsapp/whatsapp-leg.ts';
import type { MediaWorker } from '../worker-pool.ts';
import { planRoute, type LegPlan, type PlanLeg } from './plan.ts';

export type AnyLeg = CarrierLeg | WhatsAppLeg | AgentLeg;

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

  get customers(): CustomerLeg[] {
    return [...this.legs.values()].filter((leg) => leg.side !== 'agent');
  }

  /** Those that may be handed over. */
  get carriers(): CarrierLeg[] {
    return [...this.legs.values()].filter((leg) => leg.side === 'carrier');
  }

  get agents(): AgentLeg[] {
    return [...this.legs.values()].filter((leg) => leg.side === 'agent');
  }

  /** Ignores a route that is not newer than the current one. @returns whether it is new */
  setRoute(route: Route, revision: number): boolean {
    if (revision <= this.#revision) return false;
    this.#route = route;
    this.#revision = revision;
    this.changed();
    return true;
  }

  /** Whether another leg hears this one. */
  isHeard(legId: string): boolean {
    return Object.entries(this.#route).some(
      ([listener, sources]) =>
        this.legs.has(listener) && sources.some((source) => source.kind === 'leg' && source.legId === legId),
    );
  }

  /** Replaces a leg in the route until realtime sends a new one. */
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
      // Another change may have arrived after the last check.
      if (this.#dirty) this.changed();
    });
  }

  /** Resolves when no update is pending. */
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
      // The leg is handed over below; a few packets from the player would only make the agent hear some audio twice.
      if (own?.mode === 'mediasoup') continue;
      if (leg.side === 'agent') {
        if (!this.#isHandedOver(leg)) await this.#attempt(leg, () => leg.hear(this.#sources(own)));
      } else if (leg.side === 'whatsapp' || !leg.handedOverTo) {
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
      // A leg whose hand-over failed uses the local endpoint from the next update on.
      if (!(await this.#attempt(carrier, () => carrier.handOver(agent, direct)))) this.#dirty = true;
    }
  }

  /** A failure on one leg, which may be closing, must not affect the others. */
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
    // Its codec is not an agent's, so it is never handed over.
    ready: leg.side === 'carrier' && leg.ready,
    earlyMedia: leg.hasEarlyMedia,
  };
}
