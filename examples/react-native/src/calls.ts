/**
 * What the app does about calls: it brings together push notifications, the SDK and the call screen of the phone. It imports no native
 * module, so it runs in tests.
 */
import {
  CallOverError,
  type Agent,
  type Call,
  type Device,
  type OverReason,
  type PushOutcome,
} from '@clarion/sdk/react-native';
import type { Caller, CallScreen, ScreenEnd } from './call-screen.ts';
import { newUuid } from './uuid.ts';

/** The user may answer on CallKit before JavaScript has loaded and received the push notification. It follows within this time. */
const EARLY_ACTION_LIMIT_MS = 5_000;

export class Calls {
  readonly #device: Device;
  readonly #screen: CallScreen;
  /** The calls on the screen: the UUID of each, by the ID of the call. */
  readonly #uuids = new Map<number, string>();
  /** What the user did with a call on the screen whose push notification has not arrived yet. */
  readonly #early = new Map<string, { action: 'answer' | 'end'; timer: ReturnType<typeof setTimeout> }>();
  readonly #answering = new Map<number, Promise<unknown>>();
  /** Push notifications that are being handled, and requests to the service: they need the connection. */
  #pending = 0;
  #inForeground = false;

  constructor(device: Device, screen: CallScreen) {
    this.#device = device;
    this.#screen = screen;
  }

  /** For the option `onAgent` of the device. */
  listenTo(agent: Agent): void {
    agent.on('incoming', (call) => this.#ring(call.id, callerOf(call), 'socket', newUuid()));
    agent.on('withdrawn', (call, reason) => {
      this.#end(call.id, WITHDRAWN[reason]);
    });
    agent.on('state', (state, call) => {
      if (state === 'ended') this.#end(call.id, 'ended');
    });
    agent.on('updated', () => {
      const { calls } = agent;
      for (const { id, elsewhere } of calls) if (elsewhere) this.#end(id, 'answered-elsewhere');
    });
  }

  /** Resolves once everything is shown, so that the system may suspend the app again. */
  onPush(data: unknown): Promise<void> {
    return this.#connected(async () => {
      const push = readIncoming(data);
      // First the screen: iOS ends an app that does not report a call, and Android lowers the priority of its push notifications.
      if (push) this.#report(push);
      this.#show(await this.#device.handlePush(data), push);
    });
  }

  /** The user answered on the call screen. */
  async answered(uuid: string): Promise<void> {
    const callId = this.#callIdOf(uuid);
    if (callId === null) return this.#remember(uuid, 'answer');
    const answering = this.#device.acceptPushed(callId);
    this.#answering.set(callId, answering);
    try {
      await answering;
      if (this.#uuids.has(callId)) this.#screen.connected(uuid);
    } catch (error) {
      // Nobody may talk to a call that is not there. If it still rings, it does so on the agent's other devices.
      this.#end(callId, error instanceof CallOverError ? error.reason : 'failed');
    } finally {
      this.#answering.delete(callId);
    }
  }

  /** The user declined or hung up on the call screen. */
  async ended(uuid: string): Promise<void> {
    const callId = this.#callIdOf(uuid);
    if (callId === null) return this.#remember(uuid, 'end');
    this.#uuids.delete(callId);
    await this.#connected(async () => {
      await this.#answering.get(callId)?.catch(() => undefined);
      const call = this.#callOf(callId);
      if (call?.here) await call.hangup();
      else await this.#device.declinePushed(callId);
    });
  }

  async mute(uuid: string, on: boolean): Promise<void> {
    await this.#talking(uuid)?.mute(on);
  }
  async hold(uuid: string, on: boolean): Promise<void> {
    await this.#talking(uuid)?.hold(on);
  }
  async sendDigits(uuid: string, digits: string): Promise<void> {
    await this.#talking(uuid)?.sendDigits(digits);
  }

  /** From the app's own view, which must keep the call screen of the phone up to date. */
  async muteFromApp(callId: number, on: boolean): Promise<void> {
    const uuid = this.#uuids.get(callId);
    if (uuid === undefined) return;
    this.#screen.muted(uuid, on);
    await this.mute(uuid, on);
  }

  /** Connected while the user sees the app or has a call; otherwise calls arrive by push notifications. */
  async onForeground(inForeground: boolean): Promise<void> {
    this.#inForeground = inForeground;
    if (inForeground) await this.#device.refresh();
    else this.#settle();
  }

  #report({ callId, pushId, caller }: IncomingPush): void {
    const known = this.#uuids.get(callId);
    // iOS shows every push notification as a call of its own: the second one for the same call is ended.
    if (known !== undefined) return this.#screen.end(pushId, 'failed');
    this.#ring(callId, caller, 'push', pushId);
    const early = this.#early.get(pushId);
    if (!early) return;
    clearTimeout(early.timer);
    this.#early.delete(pushId);
    void (early.action === 'answer' ? this.answered(pushId) : this.ended(pushId)).catch(() => undefined);
  }

  #show(outcome: PushOutcome, push: IncomingPush | null): void {
    switch (outcome.kind) {
      case 'ringing':
        return this.#ring(outcome.call.id, callerOf(outcome.call), 'socket', newUuid());
      case 'over':
        return this.#end(outcome.callId, outcome.reason);
      case 'missed':
        return this.#screen.missed({
          address: outcome.push.callerAddress ?? null,
          name: outcome.push.callerName ?? null,
        });
      case 'ignored':
        if (push && outcome.reason === 'other-agent') this.#end(push.callId, 'failed');
        return;
    }
  }

  /** Has no effect if the call is on the screen already. */
  #ring(callId: number, caller: Caller, from: 'push' | 'socket', uuid: string): void {
    if (this.#uuids.has(callId)) return;
    this.#uuids.set(callId, uuid);
    this.#screen.ring(uuid, caller, from);
  }

  #end(callId: number, why: ScreenEnd): void {
    const uuid = this.#uuids.get(callId);
    if (uuid !== undefined) this.#screen.end(uuid, why);
    this.#uuids.delete(callId);
    this.#settle();
  }

  #remember(uuid: string, action: 'answer' | 'end'): void {
    const timer = setTimeout(() => {
      this.#early.delete(uuid);
      this.#screen.end(uuid, 'failed');
    }, EARLY_ACTION_LIMIT_MS);
    this.#early.set(uuid, { action, timer });
  }

  async #connected(work: () => Promise<void>): Promise<void> {
    this.#pending += 1;
    try {
      await work();
    } finally {
      this.#pending -= 1;
      this.#settle();
    }
  }

  #settle(): void {
    if (this.#inForeground || this.#pending > 0 || this.#uuids.size > 0) return;
    if (this.#device.agent?.calls.some(({ here }) => here)) return;
    this.#device.disconnect();
  }

  #talking(uuid: string): Call | undefined {
    const call = this.#callOf(this.#callIdOf(uuid));
    return call?.here ? call : undefined;
  }

  #callOf(callId: number | null): Call | undefined {
    return this.#device.agent?.calls.find(({ id }) => id === callId);
  }

  #callIdOf(uuid: string): number | null {
    for (const [callId, known] of this.#uuids) if (known === uuid) return callId;
    return null;
  }
}

interface IncomingPush {
  callId: number;
  pushId: string;
  caller: Caller;
}

/** What the screen needs of a push notification at once. The SDK checks the rest. */
function readIncoming(data: unknown): IncomingPush | null {
  if (typeof data !== 'object' || data === null) return null;
  const { type, callId, pushId, callerAddress, callerName } = data as Record<string, unknown>;
  if (type !== 'call.incoming' || typeof callId !== 'string' || typeof pushId !== 'string') return null;
  const textOrNull = (value: unknown) => (typeof value === 'string' ? value : null);
  const caller = { address: textOrNull(callerAddress), name: textOrNull(callerName) };
  return { callId: Number(callId), pushId, caller };
}

const callerOf = ({ customer }: Call): Caller => ({
  address: customer.addressWithheld ? null : customer.address,
  name: customer.name,
});

const WITHDRAWN: Record<'ANSWERED_ELSEWHERE' | 'TIMEOUT' | 'CANCELLED' | 'DECLINED', OverReason> = {
  ANSWERED_ELSEWHERE: 'answered-elsewhere',
  TIMEOUT: 'expired',
  CANCELLED: 'ended',
  DECLINED: 'declined',
};
