/**
 * A small contact centre with a simulated clock: two queues that share their agents, skills, wrap-up, overflow, max_active_calls, and
 * callbacks. The machine and the strategies run as in the engine; the database is a map with the same conditional updates.
 * A queue is dispatched only if the machine requests it or an agent becomes idle, so that a missing effect or deadline is detected.
 */
import { beginCallback, beginInboundCall } from '../../call-machine/arrival.ts';
import { isRelease } from '../../call-machine/effects.ts';
import type { Effect } from '../../call-machine/effects.ts';
import type { CallEvent } from '../../call-machine/event.ts';
import { nextDeadline, step } from '../../call-machine/machine.ts';
import { enterWaiting } from '../../call-machine/in-queue.ts';
import { enterQueue } from '../../call-machine/shared.ts';
import { activeQueueOf, offersOf, waitOf } from '../../call-machine/state.ts';
import type { CallState } from '../../call-machine/state.ts';
import type { OverflowHop } from '../overflow-hop.ts';
import { planOffers } from '../plan.ts';
import { AGENTS, QUEUES, SKILLS } from './centre-model.ts';
import type { Action, Settings, SimAgent } from './centre-model.ts';
import { judgeOffer } from './judge-offer.ts';
import { judgeRelease } from './judge-release.ts';
import { queueViews } from './queue-views.ts';

const RING_SECONDS = 10;
const CALLBACK_KEY = '1';
const NODE = 'm';
/** How many calls and agents of a queue a dispatch sees: few, so that most views are cut off. */
const FEW = 2;

export class Centre {
  readonly settings: Settings;
  now = 1_000_000;
  readonly calls = new Map<number, CallState>();
  readonly agents = new Map<number, SimAgent>();
  readonly said = new Map<number, string[]>();
  readonly declined = new Set<string>();
  /** Inbound calls with a callback, and the call of the callback. */
  readonly calledBackBy = new Map<number, number>();
  readonly #sent: [number, CallEvent][] = [];
  #toDispatch = false;
  /** Violations, as sentences. */
  readonly broken: string[] = [];
  /** What happened, so that a test can check that it was reached. */
  readonly seen = {
    offers: 0,
    woken: 0,
    wrapUps: 0,
    relaxed: 0,
    callbacks: 0,
    answeredBack: 0,
    answered: 0,
    kept: 0,
    restarts: 0,
    uncertain: 0,
  };

  constructor(settings: Settings) {
    this.settings = settings;
    for (const agentId of AGENTS) {
      this.agents.set(agentId, {
        agentId,
        skills: SKILLS[agentId] ?? [],
        priority: agentId,
        on: agentId % 2 === 1,
        held: null,
        idleSince: agentId,
        wrapUpUntil: null,
        asleep: agentId === 3,
      });
    }
  }

  act(what: Action): void {
    switch (what.do) {
      case 'call':
        this.#arrive(what);
        break;
      case 'shift':
        this.#shift(what.agent, what.on);
        break;
      case 'app':
        this.#app(what.agent, what.connects);
        break;
      case 'accept':
      case 'decline':
      case 'hangup':
        this.#byAgent(what.do, what.agent);
        break;
      case 'ready':
        this.#ready(what.agent);
        break;
      case 'connect':
      case 'fail':
        this.#legOf(this.#oneOf(what.call, ['connecting', 'dialing']), what.do === 'connect');
        break;
      case 'cancel':
        this.send(what.call, { type: 'leg-ended', legId: `in-${what.call}`, end: gone, stats: null });
        break;
      case 'terminate':
        this.send(what.call, { type: 'terminate' });
        break;
      case 'lost':
        this.send(what.call, { type: 'media-lost', mediaNodeId: NODE });
        break;
      case 'callback': {
        const callId = this.#oneOf(what.call, ['waiting', 'offering']);
        const legId = `in-${callId}`;
        this.send(callId, { type: 'leg-dtmf', legId, digit: CALLBACK_KEY, at: this.now });
        break;
      }
      case 'played':
        this.#played(this.#oneOf(what.call, ['waiting', 'offering']));
        break;
      case 'wait':
        this.pass(what.ms);
        break;
      case 'again': {
        const old = this.#sent[what.which % Math.max(1, this.#sent.length)];
        // An old offer cannot be repeated, because its reservation was part of the same transaction.
        if (old && old[1].type !== 'offer') this.send(...old);
      }
    }
    this.#dispatchIfAsked();
  }

  /** Advances the clock, firing each deadline and each end of a wrap-up when it is due. */
  pass(ms: number): void {
    const until = this.now + ms;
    for (;;) {
      const [due] = [...this.calls]
        .map(([callId, state]) => ({ callId, at: nextDeadline(state) ?? Infinity }))
        .toSorted((a, b) => a.at - b.at);
      const wrapUp = [...this.agents.values()]
        .map(({ agentId, wrapUpUntil }) => ({ agentId, at: wrapUpUntil ?? Infinity }))
        .toSorted((a, b) => a.at - b.at)[0];
      const at = Math.min(due?.at ?? Infinity, wrapUp?.at ?? Infinity);
      if (at > until) break;
      this.now = Math.max(this.now, at);
      if (wrapUp && wrapUp.at === at) this.#ready(wrapUp.agentId);
      else if (due) this.send(due.callId, { type: 'tick' });
      this.#dispatchIfAsked();
    }
    this.now = until;
  }

  send(callId: number, event: CallEvent): void {
    const state = this.calls.get(callId);
    if (!state) return;
    this.#sent.push([callId, event]);
    const next = step(state, event, this.now);
    this.#judgeReleases(state, event, next.effects);
    this.#commit(callId, next.state, next.effects);
  }

  isFree = ({ on, held, wrapUpUntil }: SimAgent): boolean =>
    on && held === null && (wrapUpUntil === null || wrapUpUntil <= this.now);

  /** Waiting calls as dispatch reads them from `LiveCall`, longest waiting first. */
  waiting() {
    return [...this.calls.values()]
      .flatMap((state) => {
        const wait = waitOf(state);
        const [stop] = wait?.stops ?? [];
        return wait && stop ? [{ queueId: stop.queueId, since: wait.since, wait, state }] : [];
      })
      .toSorted((a, b) => a.since - b.since || a.state.callId - b.state.callId);
  }

  /** Calls that have or ring an agent. */
  handled(queueId: number): number {
    const ringing = this.waiting().filter(
      (call) => call.queueId === queueId && offersOf(call.state).length > 0,
    );
    const active = [...this.calls.values()].filter((state) => activeQueueOf(state) === queueId);
    return ringing.length + active.length;
  }

  #stop(queueId: number): OverflowHop {
    return {
      queueId,
      ref: `q${queueId}`,
      ringTimeoutSeconds: RING_SECONDS,
      maxWaitSeconds: 60,
      holdAudio: null,
      wrapUpSeconds: this.settings.wrapUpSeconds[queueId] ?? 0,
      announce: { position: false, wait: false, everySeconds: 60 },
      callbackKey: CALLBACK_KEY,
      skillsWaitSeconds: this.settings.skillsWaitSeconds,
      answerWhileWaiting: queueId === this.settings.answers,
    };
  }

  #arrive({ queue, skills, answered }: Extract<Action, { do: 'call' }>): void {
    const callId = this.calls.size + 1;
    const stops = QUEUES.toSorted((a, b) => Number(b === queue) - Number(a === queue)).map((id) =>
      this.#stop(id),
    );
    const kept = {
      callId,
      record: false,
      mediaPath: 'ROOM' as const,
      mediaNodeId: NODE,
      carrierLegId: `in-${callId}`,
    };
    const first = answered
      ? enterWaiting(
          { ...kept, revision: 0, answered, flow: null, plays: 0, keyAt: null },
          enterQueue({ stops, since: this.now, declined: [], missed: {}, skills }, this.now),
          this.now,
          [{ kind: 'publish', event: 'call.created' }],
        )
      : beginInboundCall({ ...kept, route: { kind: 'queue', stops } }, this.now);
    this.#commit(callId, first.state, first.effects);
  }

  #shift(agentId: number, on: boolean): void {
    const agent = this.agents.get(agentId);
    if (!agent || agent.on === on) return;
    agent.on = on;
    agent.idleSince = this.now;
    if (!on) agent.wrapUpUntil = null;
    this.#toDispatch = true;
  }

  #app(agentId: number, connects: boolean): void {
    const agent = this.agents.get(agentId);
    if (!agent || agent.asleep === !connects) return;
    agent.asleep = !connects;
    if (agent.held !== null) this.send(agent.held, { type: connects ? 'agent-back' : 'agent-gone', agentId });
    this.#toDispatch = true;
  }

  /** The wrap-up has ended, by time or by the agent. */
  #ready(agentId: number): void {
    const agent = this.agents.get(agentId);
    if (!agent || agent.wrapUpUntil === null) return;
    agent.idleSince = agent.wrapUpUntil > this.now ? this.now : Math.max(agent.idleSince, agent.wrapUpUntil);
    agent.wrapUpUntil = null;
    this.seen.wrapUps += 1;
    this.#toDispatch = true;
  }

  #byAgent(what: 'accept' | 'decline' | 'hangup', agentId: number): void {
    const callId = this.agents.get(agentId)?.held;
    if (callId === null || callId === undefined) return;
    this.#app(agentId, true);
    const state = this.calls.get(callId);
    if (what === 'accept') {
      const legId = `leg-${callId}-${agentId}-${this.#sent.length}`;
      this.send(callId, { type: 'accept', agentId, deviceId: 'd', legId, mediaNodeId: NODE });
      return;
    }
    this.send(callId, { type: what, agentId });
    const notYetDialled = state?.phase === 'dialing' && state.progress === 'agent';
    const declined =
      state?.phase === 'offering' || state?.phase === 'connecting' || state?.phase === 'callback';
    if (declined || notYetDialled) this.declined.add(`${callId}:${agentId}`);
  }

  /** A purely random choice would hardly ever select a call in one of these phases. */
  #oneOf(which: number, phases: CallState['phase'][]): number {
    const ids = [...this.calls.values()]
      .filter(({ phase }) => phases.includes(phase))
      .map(({ callId }) => callId);
    return ids[which % Math.max(1, ids.length)] ?? 0;
  }

  /** The next expected leg connects or fails. */
  #legOf(callId: number, stands: boolean): void {
    const state = this.calls.get(callId);
    if (state?.phase !== 'connecting' && state?.phase !== 'dialing') return;
    const agentsTurn = state.phase === 'connecting' ? !state.answering : state.progress === 'agent';
    const legId = agentsTurn ? state.agent.legId : state.carrierLegId;
    if (!stands) this.send(callId, { type: 'leg-ended', legId, end: gone, stats: null });
    else {
      this.send(callId, { type: 'leg-connected', legId, codec: 'PCMA' });
      if (state.phase === 'dialing' && this.calls.get(callId)?.phase === 'talking')
        this.seen.answeredBack += 1;
    }
  }

  #played(callId: number): void {
    const state = this.calls.get(callId);
    if (state?.phase !== 'waiting') return;
    const playId = state.leaving?.playId ?? state.wait.announcing;
    if (playId !== null)
      this.send(callId, { type: 'leg-played', legId: state.carrierLegId, playId, played: true });
  }

  #commit(callId: number, state: CallState, effects: Effect[]): void {
    const before = this.calls.get(callId);
    if (
      before &&
      'wait' in before &&
      before.wait &&
      'wait' in state &&
      state.wait?.relaxed &&
      !before.wait.relaxed
    )
      this.seen.relaxed += 1;
    this.calls.set(callId, state);
    for (const effect of effects) this.#carryOut(callId, effect);
  }

  #judgeReleases(before: CallState, event: CallEvent, effects: Effect[]): void {
    for (const effect of effects) {
      if (effect.kind !== 'agent' || !isRelease(effect.change)) continue;
      const { agentId, change } = effect;
      if (this.agents.get(agentId)?.held !== before.callId) continue;
      const restarts = change !== 'free';
      this.broken.push(...judgeRelease({ agentId, before, event, now: this.now, restarts }));
      this.seen[restarts ? 'restarts' : 'kept'] += 1;
    }
  }

  #carryOut(callId: number, effect: Effect): void {
    switch (effect.kind) {
      case 'publish':
        this.said.set(callId, [...(this.said.get(callId) ?? []), effect.event]);
        break;
      case 'agent':
        this.#change(callId, effect);
        break;
      case 'dispatch':
      case 'dispatch-agent':
        this.#toDispatch = true;
        break;
      case 'media':
        this.#confirmAnswer(callId, effect);
        break;
      case 'announce':
        this.send(callId, { type: 'announced', playId: effect.playId, position: 1, waitSeconds: null });
        break;
      case 'call-back':
        // Repeated, as the engine may do: it is created once.
        this.#callBack(callId, effect);
        this.#callBack(callId, effect);
        break;
      case 'notify-agent':
        if (effect.what.message === 'incoming' && this.declined.has(`${callId}:${effect.agentId}`))
          this.broken.push(`${callId} asked a decliner again`);
        break;
      default:
        break;
    }
  }

  #change(callId: number, effect: Extract<Effect, { kind: 'agent' }>): void {
    const agent = this.agents.get(effect.agentId);
    if (!agent || agent.held !== callId || !isRelease(effect.change)) return;
    agent.held = null;
    if (effect.change === 'free') return;
    agent.idleSince = this.now;
    if (!effect.wrapUpSeconds) return;
    agent.wrapUpUntil = this.now + effect.wrapUpSeconds * 1000;
    agent.idleSince = agent.wrapUpUntil;
  }

  /** When a queue answers a caller, the carrier acknowledges it immediately. For an agent's call this is the action `connect`. */
  #confirmAnswer(callId: number, { order }: Extract<Effect, { kind: 'media' }>): void {
    const state = this.calls.get(callId);
    if (order.command !== 'carrier:answer' || state?.phase !== 'answering') return;
    this.seen.answered += 1;
    this.send(callId, { type: 'leg-connected', legId: state.carrierLegId, codec: 'PCMA' });
  }

  #callBack(callbackOf: number, { wait }: Extract<Effect, { kind: 'call-back' }>): void {
    if (this.calledBackBy.has(callbackOf)) return;
    const callId = this.calls.size + 1;
    this.calledBackBy.set(callbackOf, callId);
    for (const agentId of wait.declined) this.declined.add(`${callId}:${agentId}`);
    this.seen.callbacks += 1;
    const dial = { trunkId: 1, called: '44', caller: '33', callerName: null };
    const begun = beginCallback(
      { callId, record: false, mediaPath: 'ROOM', dial, wait, callbackOf },
      this.now,
    );
    this.#commit(callId, begun.state, begun.effects);
  }

  /** Like call-engine/dispatch.ts: plans with a limited view of the queues, and with a whole one where that is not certain. */
  #dispatchIfAsked(): void {
    while (this.#toDispatch) {
      this.#toDispatch = false;
      for (;;) {
        const few = planOffers(queueViews(this, FEW));
        const { offers } = few.uncertain ? planOffers(queueViews(this, Infinity)) : few;
        if (few.uncertain) this.seen.uncertain += 1;
        if (offers.length === 0) break;
        for (const { queueId, call, agentIds } of offers) this.#offer(queueId, call.callId, agentIds);
      }
    }
  }

  #offer(queueId: number, callId: number, agentIds: number[]): void {
    this.broken.push(...judgeOffer(this, queueId, callId, agentIds));
    this.seen.offers += 1;
    const wakeIds = agentIds.filter((agentId) => this.agents.get(agentId)?.asleep);
    for (const agentId of agentIds) {
      const agent = this.agents.get(agentId);
      if (!agent || agent.held !== null) throw new Error('two calls reserved one agent');
      agent.held = callId;
    }
    this.seen.woken += wakeIds.length;
    this.send(callId, { type: 'offer', queueId, agentIds, wakeIds, ringTimeoutSeconds: RING_SECONDS });
  }
}

const gone = {
  cause: 'remote-cancel' as const,
  sipStatus: null,
  sipReason: null,
  q850: null,
  provisional: false,
  message: 'gone',
};
