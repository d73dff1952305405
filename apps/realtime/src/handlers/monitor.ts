/** Monitoring by a supervisor in an app or the dashboard: listen to a live call, whisper to its agent, barge in, stop. */
import { randomUUID } from 'node:crypto';
import type { CallState, Monitor, TalkingState } from '@clarion/core/call-machine/state';
import { MAX_MONITORS_PER_CALL } from '@clarion/core/call-machine/timing';
import { ApiError } from '@clarion/protocol';
import type { MonitoringMode } from '@clarion/protocol';
import type { ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import type { Listener } from '../monitoring/listener.ts';
import { callsMonitoredBy, isOwnedBy } from '../monitoring/monitored-calls.ts';
import type { Handlers } from '../sockets/serve.ts';
import { connectLeg, liveStateOf } from './call.ts';
import type { CallContext } from './call.ts';

type MonitorHandlers = Pick<Handlers, 'monitor:start' | 'monitor:mode' | 'monitor:stop'>;

export function monitorHandlers(listener: Listener, context: CallContext): MonitorHandlers {
  const actions = new MonitorActions(listener, context);
  return {
    'monitor:start': (payload) => actions.inOrder(() => actions.start(payload)),
    'monitor:mode': ({ callId, mode }) => actions.setMode(callId, mode),
    'monitor:stop': ({ callId }) => actions.inOrder(() => actions.stop(callId)),
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

  /** Runs actions one after the other, so that the later of two starts takes effect. */
  inOrder<T>(work: () => Promise<T>): Promise<T> {
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
    const { deviceId } = this.#listener.owner;
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
          ? `The call already has ${MAX_MONITORS_PER_CALL} monitors.`
          : 'The call cannot be monitored now.',
      );
    }
    // No audio flows yet: if the record cannot be stored, there is no monitoring.
    await this.#listener.note(callId, mode);
    await this.#stopOthers(callId);
    const sdpAnswer = await connectLeg(this.#context, state.mediaNodeId, {
      callId,
      legId,
      sdpOffer,
      as: 'monitor',
    });
    await this.#listener.recheck();
    await this.#endUnlessAllowed(callId, legId, mode);
    return { sdpAnswer, monitorId: legId, mode };
  }

  async setMode(callId: number, mode: MonitoringMode): Promise<ClientReplies['monitor:mode']> {
    await this.#listener.allowed(mode);
    const state = await this.#liveState(callId);
    const { legId, mode: before } = this.#mine(state) ?? notMonitoring();
    if (mode !== before) await this.#listener.note(callId, mode);
    const stepped = await this.#context.engine.step(callId, { type: 'monitor-mode', legId, mode });
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    await this.#endUnlessAllowed(callId, legId, mode);
    return { mode: (this.#mine(stepped.state) ?? notMonitoring()).mode };
  }

  /** Stopping monitoring that has ended is not an error. */
  async stop(callId: number): Promise<object> {
    const { engine, deps } = this.#context;
    const monitored = await callsMonitoredBy(deps.db, this.#listener.tenantId, this.#listener.owner);
    for (const { monitor } of monitored.filter((one) => one.callId === callId)) {
      await engine.step(callId, { type: 'monitor-stop', legId: monitor.legId });
    }
    return {};
  }

  /** Called after the step: the tenant may have changed its modes since they were read, and its calls may have been checked before the step. */
  async #endUnlessAllowed(callId: number, legId: string, mode: MonitoringMode): Promise<void> {
    try {
      await this.#listener.allowed(mode);
    } catch (error) {
      await this.#context.engine.step(callId, { type: 'monitor-stop', legId, reason: 'NOT_ALLOWED' });
      throw error;
    }
  }

  /** A device monitors one call at a time: the new one. */
  async #stopOthers(callId: number): Promise<void> {
    const { deps, engine } = this.#context;
    for (const other of await callsMonitoredBy(deps.db, this.#listener.tenantId, this.#listener.owner)) {
      if (other.callId === callId) continue;
      await engine.step(other.callId, { type: 'monitor-stop', legId: other.monitor.legId });
    }
  }

  #liveState(callId: number): Promise<CallState> {
    return liveStateOf(this.#context.deps.db, this.#listener.tenantId, callId);
  }

  #mine(state: CallState): Monitor | undefined {
    if (state.phase !== 'talking') return undefined;
    return state.monitors.find((one) => isOwnedBy(one, this.#listener.owner));
  }
}

function asTalking(state: CallState): TalkingState {
  if (state.phase !== 'talking') throw cannot('Only an answered call can be monitored.');
  return state;
}

function notMonitoring(): never {
  throw cannot('This device is not monitoring the call.');
}
