/** The actions of an agent on a call. Each message becomes an event of the machine, and the resulting state is the reply. */
import { randomUUID } from 'node:crypto';
import type { CallAfterStep } from '@clarion/core/call-engine/commit';
import { AgentTaken } from '@clarion/core/call-engine/history';
import type { Stepped } from '@clarion/core/call-engine/step-call';
import { parseState } from '@clarion/core/call-engine/stored';
import { answerByMedia } from '@clarion/core/call-machine/connecting';
import type { CallEvent } from '@clarion/core/call-machine/event';
import { isDialled } from '@clarion/core/call-machine/intent';
import { agentSideOf, agentSidesOf } from '@clarion/core/call-machine/state';
import type { AgentSide, CallState } from '@clarion/core/call-machine/state';
import { ApiError, notFound } from '@clarion/protocol';
import type { ChannelType } from '@clarion/protocol';
import type { MediaCommandPayload } from '@clarion/protocol/media';
import type { AgentCall } from '@clarion/protocol/socket';
import { MAX_INTEGER } from '@clarion/protocol/v1/fields/fields';
import type { CallEngine } from '../call-engine.ts';
import type { Deps } from '../deps.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { loadCall, loadedAfter, presentAgentCall } from '../presenters/present-call.ts';
import type { Handlers } from '../sockets/serve.ts';
import type { AgentSocket } from '../sockets/types.ts';

export interface CallContext {
  deps: Deps;
  engine: CallEngine;
  nodes: MediaNodes;
}
type CallHandlers = Pick<
  Handlers,
  | 'call:start'
  | 'call:accept'
  | 'call:resume'
  | 'call:decline'
  | 'call:hangup'
  | 'call:mute'
  | 'call:hold'
  | 'call:dtmf'
>;

export function callHandlers(socket: AgentSocket, context: CallContext): CallHandlers {
  const { agentId, deviceId } = socket.data;
  const { maxCallSeconds } = context.deps;
  const act = new CallActions(socket, context);
  return {
    async 'call:start'({ callId, sdpOffer }) {
      const state = await act.liveState(callId);
      if (state.phase !== 'intent' || state.agentId !== agentId) throw cannot('This call cannot be started.');
      const mediaNodeId = context.nodes.leastLoaded();
      if (mediaNodeId === null) throw noMedia();
      const legId = randomUUID();
      const start = { type: 'start', agentId, deviceId, legId, mediaNodeId, maxCallSeconds } as const;
      return act.connect(callId, start, sdpOffer);
    },
    async 'call:accept'({ callId, sdpOffer }) {
      // Nothing is read before the step, because the first claim that is committed gets the call.
      const accept = { type: 'accept', agentId, deviceId, legId: randomUUID() } as const;
      const stepped = await act.step(callId, accept);
      if (stepped.state.phase !== 'callback') return act.connectSide(callId, stepped, accept, sdpOffer);
      // A callback has no media node yet.
      const mediaNodeId = context.nodes.leastLoaded();
      if (mediaNodeId === null) throw noMedia();
      return act.connect(callId, { ...accept, mediaNodeId, maxCallSeconds }, sdpOffer);
    },
    async 'call:resume'({ callId, sdpOffer }) {
      await act.liveState(callId);
      return act.connect(callId, { type: 'resume', agentId, deviceId, legId: randomUUID() }, sdpOffer);
    },
    async 'call:decline'({ callId }) {
      return act.leave(callId, { type: 'decline', agentId });
    },
    async 'call:hangup'({ callId }) {
      return act.leave(callId, { type: 'hangup', agentId });
    },
    async 'call:mute'({ callId, muted }) {
      return act.change(callId, { type: 'mute', agentId, muted });
    },
    async 'call:hold'({ callId, held }) {
      return act.change(callId, { type: 'hold', agentId, held }, isTalking);
    },
    async 'call:dtmf'({ callId, digits }) {
      await act.change(callId, { type: 'dtmf', agentId, digits }, acceptsDigits);
      return {};
    },
  };
}

const hasAgent = ({ phase }: CallState): boolean => ['talking', 'dialing', 'connecting'].includes(phase);
export const isTalking = ({ phase }: CallState): boolean => phase === 'talking';
const acceptsDigits = (state: CallState): boolean =>
  isTalking(state) || (state.phase === 'dialing' && isDialled(state));

type Connecting = Extract<CallEvent, { type: 'start' | 'accept' | 'resume' }>;
type Live = Extract<Stepped, { kind: 'stepped' }>;
type Connected = { sdpAnswer: string; call: AgentCall };

const cannot = (message: string) => new ApiError('invalid_state', { message });
const noMedia = () => new ApiError('sip_unavailable', { message: 'No media node is connected.' });

/**
 * Sets up the audio of a leg that the call has already. A failure becomes an event of the call.
 *
 * @returns the SDP answer
 */
export async function connectLeg(
  { engine, nodes }: CallContext,
  mediaNodeId: string,
  leg: MediaCommandPayload<'agent:connect'>,
): Promise<string> {
  await nodes.arrival(mediaNodeId);
  const result = await nodes.send(mediaNodeId, 'agent:connect', leg);
  if (result.kind === 'ok') return result.reply.sdpAnswer;
  const { callId, legId } = leg;
  const message = result.kind === 'refused' ? result.message : 'The media node did not reply.';
  await engine.step(callId, { type: 'command-failed', command: 'agent:connect', legId, message });
  if (result.kind === 'refused' && result.code === 'bad_sdp') {
    throw new ApiError('invalid_request', { message, details: { field: 'sdpOffer' } });
  }
  throw new ApiError('sip_unavailable', { message });
}

/** @throws not_found for a call of another tenant, call_ended for one that has ended */
export async function liveStateOf(db: Deps['db'], tenantId: number, callId: number): Promise<CallState> {
  if (callId > MAX_INTEGER) throw notFound('The call');
  const live = await db.liveCall.findFirst({ where: { callId, tenantId }, select: { state: true } });
  if (live) return parseState(live.state);
  const ended = await db.call.findFirst({ where: { id: callId, tenantId }, select: { id: true } });
  throw ended ? new ApiError('call_ended') : notFound('The call');
}

/** WhatsApp has no INVITE that media could answer. A leg that resumes the call answers nothing: the one before may be doing so. */
function answersOf(
  state: CallState,
  { type }: Connecting,
  channelType: ChannelType | undefined,
): Pick<MediaCommandPayload<'agent:connect'>, 'answers'> {
  const answers = type === 'accept' && channelType === 'SIP' ? answerByMedia(state) : null;
  return answers ? { answers } : {};
}

export class CallActions {
  readonly #socket: AgentSocket;
  readonly #context: CallContext;

  constructor(socket: AgentSocket, context: CallContext) {
    this.#socket = socket;
    this.#context = context;
  }

  /** @throws not_found, call_ended */
  liveState(callId: number): Promise<CallState> {
    return liveStateOf(this.#context.deps.db, this.#socket.data.tenantId, callId);
  }

  /** @throws not_found, call_ended, agent_busy */
  async step(callId: number, event: Connecting): Promise<Live> {
    if (callId > MAX_INTEGER) throw notFound('The call');
    const stepped = await this.#context.engine.step(callId, event).catch((error: unknown) => {
      throw error instanceof AgentTaken ? new ApiError('agent_busy') : error;
    });
    if (stepped.kind === 'stepped') return stepped;
    await this.liveState(callId);
    throw new ApiError('call_ended');
  }

  /** Assigns the call to this device by the event, then sets up its audio. */
  async connect(callId: number, event: Connecting, sdpOffer: string): Promise<Connected> {
    return this.connectSide(callId, await this.step(callId, event), event, sdpOffer);
  }

  /** Sets up the audio after `event`. @throws invalid_state if the event did not assign the call to this device */
  async connectSide(
    callId: number,
    { state, pending }: Live,
    event: Connecting,
    sdpOffer: string,
  ): Promise<Connected> {
    const side = agentSidesOf(state).find(({ legId }) => legId === event.legId);
    if (!side || !('mediaNodeId' in state)) {
      await this.liveState(callId); // not_found for a call of another tenant
      throw cannot(
        event.type === 'accept'
          ? 'The call is no longer ringing this agent.'
          : 'The call belongs to another agent.',
      );
    }
    const leg = {
      callId,
      legId: side.legId,
      sdpOffer,
      agentId: side.agentId,
      ...(side.previous && { replaces: side.previous.legId }),
      ...answersOf(state, event, pending?.after?.call.channelType),
    };
    const [sdpAnswer, call] = await Promise.all([
      connectLeg(this.#context, state.mediaNodeId, leg),
      this.present(callId, pending?.after),
    ]);
    return { sdpAnswer, call };
  }

  /**
   * Leaving a call that has ended is not an error. Only a call of this agent changes, so the tenant is checked only if nothing did.
   *
   * @throws not_found
   */
  async leave(callId: number, event: CallEvent): Promise<object> {
    if (callId > MAX_INTEGER) throw notFound('The call');
    const stepped = await this.#context.engine.step(callId, event);
    if (stepped.kind === 'stepped' && stepped.changed) return {};
    try {
      await this.liveState(callId);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'call_ended')) throw error;
    }
    return {};
  }

  async change(
    callId: number,
    event: CallEvent,
    allows: (state: CallState) => boolean = hasAgent,
  ): Promise<{ call: AgentCall }> {
    const before = await this.liveState(callId);
    if (!this.#isMine(agentSideOf(before)) || !allows(before)) {
      throw cannot('The current state of the call does not allow this.');
    }
    const stepped = await this.#context.engine.step(callId, event);
    if (stepped.kind === 'not-live') throw new ApiError('call_ended');
    return { call: await this.present(callId, stepped.pending?.after) };
  }

  /** @param after the call as a step left it just now; otherwise it is read */
  async present(callId: number, after: CallAfterStep | null = null): Promise<AgentCall> {
    const { deps } = this.#context;
    const loaded = after ? await loadedAfter(deps.names, after) : await loadCall(deps, callId);
    if (!loaded) throw notFound('The call');
    return presentAgentCall(loaded, deps.now(), this.#socket.data.agentId);
  }

  #isMine(side: AgentSide | null): boolean {
    return side?.agentId === this.#socket.data.agentId;
  }
}
