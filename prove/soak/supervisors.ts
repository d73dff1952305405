/** The life of a supervisor: watches the board and listens in, whispers, barges. */
import type { BoardCall } from '@clarion/protocol/socket';
import type { ScriptedAgent } from '@clarion/testkit/agents/scripted-agent';
import type { RealtimeName } from '@clarion/testkit/stack/stack';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import type { Chance } from '../lib/chance.ts';
import type { Soak } from './lives.ts';
import { TENANT } from './town.ts';

const SUPERVISOR_HZ = 1500;

export class SupervisorLife {
  readonly #soak: Soak;
  readonly #chance: Chance;
  readonly #agent: ScriptedAgent;
  /** The board as this supervisor sees it. */
  readonly board = new Map<number, BoardCall>();

  private constructor(soak: Soak, chance: Chance, agent: ScriptedAgent) {
    this.#soak = soak;
    this.#chance = chance;
    this.#agent = agent;
    agent.socket.on('board:call', (change) => {
      if ('removed' in change) this.board.delete(change.removed);
      else if ((this.board.get(change.call.callId)?.version ?? -1) < change.call.version)
        this.board.set(change.call.callId, change.call);
    });
    agent.socket.on('session', () => void this.#subscribe());
  }

  static async begin(soak: Soak, chance: Chance, ref: string, node: RealtimeName): Promise<SupervisorLife> {
    const agent = await soak.t.agent(ref, { tenant: TENANT, reconnect: true, node, role: 'SUPERVISOR' });
    const life = new SupervisorLife(soak, chance, agent);
    await life.#subscribe();
    return life;
  }

  async live(): Promise<void> {
    while (!this.#soak.stopped) {
      await this.#soak.pause(this.#chance.between(500, 4000));
      const active = [...this.board.values()].filter(({ state }) => state === 'active');
      if (active.length > 0) await this.#listen(this.#chance.pick(active).callId);
      this.#agent.received.splice(0);
    }
  }

  async #subscribe(): Promise<void> {
    const shown = await this.#soak.attempt('board', () => this.#agent.send('board:subscribe', {}));
    if (!shown) return;
    this.board.clear();
    for (const call of shown.calls) this.board.set(call.callId, call);
  }

  async #listen(callId: number): Promise<void> {
    const leg = new WebRtcLeg();
    leg.keep = false;
    try {
      const begun = await this.#soak.attempt('monitor', async () => {
        const sdpOffer = await leg.offer();
        const { sdpAnswer } = await this.#agent.send('monitor:start', { callId, sdpOffer, mode: 'LISTEN' });
        return { sdpAnswer };
      });
      if (!begun) return;
      // The call may end at any moment, and its leg with it.
      const heard = await leg.accept(begun.sdpAnswer).then(
        () => true,
        () => false,
      );
      if (heard) leg.sendTone(SUPERVISOR_HZ);
      for (const mode of ['WHISPER', 'BARGE', 'LISTEN'] as const) {
        await this.#soak.pause(this.#chance.between(200, 1500));
        if (!this.board.has(callId)) return;
        await this.#soak.attempt(mode, () => this.#agent.send('monitor:mode', { callId, mode }));
      }
    } finally {
      leg.close();
      await this.#soak.attempt('stop monitor', () => this.#agent.send('monitor:stop', { callId }));
    }
  }
}
