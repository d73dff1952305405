/** What a supervisor does, in an app or at the dashboard: listens to a live call, whispers to its agent, barges in, and stops. */
import { randomUUID } from 'node:crypto';
import type { CallState, Monitor, TalkingState } from '@clarion/core/call/state';
import { MAX_MONITORS_PER_CALL } from '@clarion/core/call/timing';
import { ApiError } from '@clarion/protocol';
import type { MonitoringMode } from '@clarion/protocol';
import type { ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import { isWho, monitoredBy } from '../agents/monitoring.ts';
import type { Listener } from '../listening/listener.ts';
import { connectLeg, liveStateOf } from './call.ts';
import type { CallContext } from './call.ts';
import type { Handlers } from './serve.ts';

type MonitorHandlers = Pick<Handlers, 'monitor:start' | 'monitor:mode' | 'monitor:stop'>;

export function monitorHandlers(listener: Listener, context: CallContext): MonitorHandlers {
  const actions = new MonitorActions(listener, context);
  return {
    'monitor:start': (payload) => actions.inTurn(() => actions.start(payload)),
    'monitor:mode': ({ callId, mode }) => actions.setMode(callId, mode),
    'monitor:stop': ({ callId }) => actions.inTurn(() => actions.stop(callId)),
  };
}

const cannot = (message: string) => new ApiError('invalid_state', { message });

class MonitorActions {
  readonly #listener: Listener;
  readonly #context: CallContext;
  #last: Promise<unknown> = Promise.resolve();

  constructor(listener: Listener, context: CallContext) {
    this.#listener = listener;
    this.#context = context;
  }

  /** One after the other, so that of two starts the later one counts. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }

  async start({
    callId,
    sdpOffer,
    mode,
  }: ClientPayload<'monitor:start'>): Promise<ClientReplies['monitor:start']> {
    const { engine } = this.#context;
    const { deviceId } = this.#listener.who;
    const who = await this.#listener.allowed(mode);
    const before = asTalking(await this.#liveState(callId));
    if (before.agent.agentId === who.agentId) throw cannot('Agents cannot monitor their own calls.');
    const legId = randomUUID();
    const stepped = await engine.step(callId, {
      type: 'monitor-start',
      monitor: { ...who, deviceId, legId, mode },
    });
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    const state = asTalking(stepped.state);
    if (!state.monitors.some((monitor) => monitor.legId === legId)) {
      throw cannot(
        state.monitors.length >= MAX_MONITORS_PER_CALL
          ? `${MAX_MONITORS_PER_CALL} people are already listening to this call.`
          : 'The call cannot be monitored in its current state.',
      );
    }
    // Nothing is heard yet: what cannot be kept does not happen.
    await this.#listener.note(callId, mode);
    await this.#stopOthers(callId);
    const sdpAnswer = await connectLeg(this.#context, state.mediaNodeId, {
      callId,
      legId,
      sdpOffer,
      as: 'monitor',
    });
    await this.#listener.recheck();
    return { sdpAnswer, monitorId: legId, mode };
  }

  async setMode(callId: number, mode: MonitoringMode): Promise<ClientReplies['monitor:mode']> {
    await this.#listener.allowed(mode);
    const state = await this.#liveState(callId);
    const { legId, mode: before } = this.#mine(state) ?? notListening();
    if (mode !== before) await this.#listener.note(callId, mode);
    const stepped = await this.#context.engine.step(callId, { type: 'monitor-mode', legId, mode });
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    return { mode: (this.#mine(stepped.state) ?? notListening()).mode };
  }

  /** Wanting to be rid of what is over is no error. */
  async stop(callId: number): Promise<object> {
    const { engine, deps } = this.#context;
    const monitored = await monitoredBy(deps.db, this.#listener.tenantId, this.#listener.who);
    for (const { monitor } of monitored.filter((one) => one.callId === callId)) {
      await engine.step(callId, { type: 'monitor-stop', legId: monitor.legId });
    }
    return {};
  }

  /** A device listens to one call at a time: the new one. */
  async #stopOthers(callId: number): Promise<void> {
    const { deps, engine } = this.#context;
    for (const other of await monitoredBy(deps.db, this.#listener.tenantId, this.#listener.who)) {
      if (other.callId === callId) continue;
      await engine.step(other.callId, { type: 'monitor-stop', legId: other.monitor.legId });
    }
  }

  #liveState(callId: number): Promise<CallState> {
    return liveStateOf(this.#context.deps.db, this.#listener.tenantId, callId);
  }

  #mine(state: CallState): Monitor | undefined {
    if (state.phase !== 'talking') return undefined;
    return state.monitors.find((one) => isWho(one, this.#listener.who));
  }
}

function asTalking(state: CallState): TalkingState {
  if (state.phase !== 'talking') throw cannot('Only an answered call can be monitored.');
  return state;
}

function notListening(): never {
  throw cannot('This device is not monitoring the call.');
}
