/** What a supervisor does: listens to a live call, whispers to its agent, barges in, and stops. */
import { randomUUID } from 'node:crypto';
import type { CallState, Monitor, TalkingState } from '@clarion/core/call/state';
import { ApiError, storedTenantSettings, tenantSettingsWithDefaults } from '@clarion/protocol';
import type { MonitoringMode } from '@clarion/protocol';
import type { ClientPayload, ClientReplies } from '@clarion/protocol/socket';
import { monitoredBy } from '../agents/monitoring.ts';
import type { Monitoring } from '../agents/monitoring.ts';
import type { AgentSocket } from '../deps.ts';
import { CallActions, connectLeg } from './call.ts';
import type { CallContext } from './call.ts';
import type { Handlers } from './serve.ts';

type MonitorHandlers = Pick<Handlers, 'monitor:start' | 'monitor:mode' | 'monitor:stop'>;

export function monitorHandlers(
  socket: AgentSocket,
  context: CallContext & { monitoring: Monitoring },
): MonitorHandlers {
  const actions = new MonitorActions(socket, context);
  return {
    'monitor:start': (payload) => actions.inTurn(() => actions.start(payload)),
    'monitor:mode': ({ callId, mode }) => actions.setMode(callId, mode),
    'monitor:stop': ({ callId }) => actions.inTurn(() => actions.stop(callId)),
  };
}

const forbidden = (message: string) => new ApiError('forbidden', { message });
const cannot = (message: string) => new ApiError('invalid_state', { message });

class MonitorActions {
  readonly #socket: AgentSocket;
  readonly #context: CallContext & { monitoring: Monitoring };
  readonly #calls: CallActions;
  #last: Promise<unknown> = Promise.resolve();

  constructor(socket: AgentSocket, context: CallContext & { monitoring: Monitoring }) {
    this.#socket = socket;
    this.#context = context;
    this.#calls = new CallActions(socket, context);
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
    const { engine, monitoring } = this.#context;
    const { tenantId, agentId, deviceId } = this.#socket.data;
    const { name } = await this.#allowed(mode);
    const before = asTalking(await this.#calls.liveState(callId));
    if (before.agent.agentId === agentId) throw cannot('Nobody listens to a call of their own.');
    assertBears(before, mode);
    const legId = randomUUID();
    const stepped = await engine.step(callId, {
      type: 'monitor-start',
      monitor: { kind: 'SUPERVISOR', agentId, name, deviceId, legId, mode },
    });
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    const state = asTalking(stepped.state);
    if (!state.monitors.some((monitor) => monitor.legId === legId)) {
      throw cannot('The call cannot be listened to now.');
    }
    await this.#stopOthers(callId);
    const sdpAnswer = await connectLeg(this.#context, state.mediaNodeId, {
      callId,
      legId,
      sdpOffer,
      as: 'monitor',
    });
    // Gone, or no longer allowed, while it was being set up: nobody else will say so.
    if (!this.#socket.connected) await monitoring.socketGone(tenantId, agentId, deviceId);
    await monitoring.agentChanged(agentId);
    return { sdpAnswer, monitorId: legId, mode };
  }

  async setMode(callId: number, mode: MonitoringMode): Promise<ClientReplies['monitor:mode']> {
    await this.#allowed(mode);
    const state = await this.#calls.liveState(callId);
    const { legId } = this.#mine(state) ?? notListening();
    assertBears(asTalking(state), mode);
    const stepped = await this.#context.engine.step(callId, { type: 'monitor-mode', legId, mode });
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    return { mode: (this.#mine(stepped.state) ?? notListening()).mode };
  }

  /** Wanting to be rid of what is over is no error. */
  async stop(callId: number): Promise<object> {
    const { engine } = this.#context;
    const { tenantId, agentId, deviceId } = this.#socket.data;
    const monitored = await monitoredBy(this.#context.deps.db, tenantId, { agentId, deviceId });
    for (const { monitor } of monitored.filter((one) => one.callId === callId)) {
      await engine.step(callId, { type: 'monitor-stop', legId: monitor.legId });
    }
    return {};
  }

  /** A device listens to one call at a time: the new one. */
  async #stopOthers(callId: number): Promise<void> {
    const { deps, engine } = this.#context;
    const { tenantId, agentId, deviceId } = this.#socket.data;
    for (const other of await monitoredBy(deps.db, tenantId, { agentId, deviceId })) {
      if (other.callId === callId) continue;
      await engine.step(other.callId, { type: 'monitor-stop', legId: other.monitor.legId });
    }
  }

  /** Role and modes as they are now, not as they were when the socket came. */
  async #allowed(mode: MonitoringMode): Promise<{ name: string }> {
    const { db } = this.#context.deps;
    const agent = await db.agent.findUniqueOrThrow({
      where: { id: this.#socket.data.agentId },
      select: { name: true, role: true, tenant: { select: { settings: true } } },
    });
    if (agent.role !== 'SUPERVISOR') throw forbidden('Only supervisors listen to calls.');
    const { monitoring } = tenantSettingsWithDefaults(storedTenantSettings.parse(agent.tenant.settings));
    if (!monitoring.modes.includes(mode)) throw forbidden(`This tenant does not allow ${mode}.`);
    return { name: agent.name };
  }

  #mine(state: CallState): Monitor | undefined {
    const { agentId, deviceId } = this.#socket.data;
    if (state.phase !== 'talking') return undefined;
    return state.monitors.find((one) => one.agentId === agentId && one.deviceId === deviceId);
  }
}

function asTalking(state: CallState): TalkingState {
  if (state.phase !== 'talking') throw cannot('Only an answered call can be listened to.');
  return state;
}

/** As the machine judges; said in words here. */
function assertBears({ mediaPath }: TalkingState, mode: MonitoringMode): void {
  if (mediaPath === 'DIRECT' && mode !== 'LISTEN') {
    throw cannot('This call is on the direct path: it can only be listened to.');
  }
}

function notListening(): never {
  throw cannot('This device does not listen to that call.');
}
