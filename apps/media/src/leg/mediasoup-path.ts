/** The mediasoup endpoint of a carrier leg that is handed over, with the agent at its other side. */
import type { LocalRtpEndpoint } from '../endpoint/local-rtp-endpoint.ts';
import type { MediasoupEndpoint } from '../endpoint/mediasoup-endpoint.ts';
import type { MediasoupStats } from '../endpoint/mediasoup-stats.ts';
import type { AgentLeg } from './agent-leg.ts';
import type { Player, PlayerSource } from './player.ts';
import type { VoiceSource } from './voice-source.ts';

export interface MediasoupPathOptions {
  localEndpoint: LocalRtpEndpoint;
  /** What the remote party hears on the local endpoint. */
  player: Player;
  /** The voice of the remote party. */
  voice: VoiceSource;
}

export class MediasoupPath {
  readonly #options: MediasoupPathOptions;
  #current: { agent: AgentLeg; endpoint: MediasoupEndpoint } | null = null;
  /** Whether the leg is being taken back: the local endpoint receives the voice from now on. */
  #takingBack = false;
  readonly #retired: MediasoupStats[] = [];
  #moves = 0;

  constructor(options: MediasoupPathOptions) {
    this.#options = options;
  }

  get agent(): AgentLeg | null {
    return this.#current?.agent ?? null;
  }

  get endpoint(): MediasoupEndpoint | null {
    return this.#current?.endpoint ?? null;
  }

  /** How often the leg has been handed over or taken back. */
  get moves(): number {
    return this.#moves;
  }

  /**
   * Hands the leg over to a prepared endpoint. If that fails, the endpoint is closed, and the local endpoint may be closed too.
   *
   * @param direct whether the agent hears only this leg, and therefore directly
   */
  async handOver(agent: AgentLeg, endpoint: MediasoupEndpoint, direct: boolean): Promise<void> {
    this.#current = { agent, endpoint };
    this.#moves += 1;
    // The listeners may have changed in the meantime.
    this.tap();
    // A digit that is requested in the meantime has scheduled an update that takes the leg back, which sends it.
    this.#options.player.deferDigits();
    try {
      if (direct) await endpoint.startTowardsAgent();
      this.#options.player.stop();
      await endpoint.startTowardsCarrier();
      await this.#options.localEndpoint.close();
      if (direct) agent.closeOutput();
    } catch (error) {
      this.#current = null;
      endpoint.close();
      throw error;
    }
  }

  /** Lets the agent hear this leg directly (null), or these sources from the player. */
  async setAgentSources(sources: readonly PlayerSource[] | null): Promise<void> {
    if (!this.#current) return;
    const { agent, endpoint } = this.#current;
    if (sources === null) {
      await endpoint.startTowardsAgent();
      agent.closeOutput();
      return;
    }
    await agent.openOutput();
    await endpoint.stopTowardsAgent();
    agent.play(sources);
  }

  /**
   * Takes the leg back to the local endpoint. Resolves with the endpoint that served it, which must be retired; null: the leg was not
   * handed over.
   */
  async takeBack(agentSources: readonly PlayerSource[]): Promise<MediasoupEndpoint | null> {
    if (!this.#current) return null;
    const { agent, endpoint } = this.#current;
    const { localEndpoint } = this.#options;
    this.#takingBack = true;
    try {
      await agent.openOutput();
      // The agent hears the player from the first packet that the local endpoint receives, and not earlier.
      await localEndpoint.open(() => agent.play(agentSources));
    } finally {
      this.#takingBack = false;
    }
    const last = await endpoint.stopTowardsCarrier().catch(() => null);
    if (last) localEndpoint.sequencer.continueFrom(last.position, last.atMs);
    this.#current = null;
    this.#moves += 1;
    return endpoint;
  }

  /** Closes an endpoint from which the leg was taken back. */
  async retire(endpoint: MediasoupEndpoint): Promise<void> {
    const stats = await endpoint.stats().catch(() => null);
    if (stats) this.#retired.push(stats);
    endpoint.close();
  }

  /** Passes on the voice while it has listeners. An endpoint that is closing needs no tap. */
  tap(): void {
    if (this.#current && !this.#takingBack)
      this.#current.endpoint.tap(this.#options.voice.hasListeners).catch(() => undefined);
  }

  async activityCount(): Promise<number> {
    return (await this.#current?.endpoint.activityCount()) ?? 0;
  }

  /** Of every endpoint that has served the leg. */
  async stats(): Promise<MediasoupStats[]> {
    const current = (await this.#current?.endpoint.stats().catch(() => null)) ?? null;
    return current ? [...this.#retired, current] : [...this.#retired];
  }

  close(): void {
    this.#current?.endpoint.close();
    this.#current = null;
  }
}
