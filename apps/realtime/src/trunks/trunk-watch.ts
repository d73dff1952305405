/** One trunk as the monitor watches it: when it is pinged next, and its registration. */
import {
  CONFIRM_MS,
  observe,
  PING_JITTER,
  pingOf,
  withJitter,
  type Reachability,
} from '@clarion/core/trunk-monitor/ping';
import {
  presentRegistration,
  resumeRegistration,
  stepRegistration,
  type RegistrationEvent,
  type RegistrationState,
} from '@clarion/core/trunk-monitor/registration';
import { storePing, storeRegistration } from '@clarion/core/trunk/trunk-state';
import type { WatchedTrunk } from '@clarion/core/trunk/trunk-state';
import { trunkPing, trunkRegistration } from '@clarion/protocol';
import type { TrunkRegistration } from '@clarion/protocol';
import type { TrunkTarget } from '@clarion/protocol/media';
import { PING_SECONDS } from '@clarion/protocol/v1/tenant/trunk-diagnostics';
import type { Deps } from '../deps.ts';
import type { BackgroundWork } from '../lib/background-work.ts';
import type { MediaNodes } from '../media/nodes.ts';
import { trunkTarget } from '../media/trunk-target.ts';
import { requestThroughMedia } from './media-requests.ts';

export const PING_MS = PING_SECONDS * 1_000;
/** How long a media node may be disconnected before the registration moves to another. Ms. */
const CONTACT_GRACE_MS = 3_000;

export interface WatchContext {
  deps: Pick<Deps, 'db' | 'log' | 'now' | 'secrets'>;
  nodes: MediaNodes;
  work: BackgroundWork;
  /** Whether this node still watches trunks; another may have taken over meanwhile. */
  watches: () => boolean;
}

export class TrunkWatch {
  readonly #context: WatchContext;
  #trunk: WatchedTrunk;
  #reachability: Reachability;
  #pingAt: number;
  #pinging = false;
  #registration: RegistrationState | null = null;
  /** Through which the trunk is registered, and since when that node has been disconnected. */
  #contact: { mediaNodeId: string; goneSince: number | null } | null = null;
  #cseq: number;
  /** State, code and target as last logged. */
  #shown: string | null = null;
  #storing: Promise<void> = Promise.resolve();
  #stopped = false;

  /** @param isTakeover this node has just begun to watch trunks; otherwise the trunk is new or has changed */
  constructor(context: WatchContext, trunk: WatchedTrunk, isTakeover: boolean) {
    const now = context.deps.now().getTime();
    const { state } = trunk;
    this.#context = context;
    this.#trunk = trunk;
    this.#reachability = storedReachability(trunk);
    // Those of another node are spread over one interval.
    this.#pingAt = now + (isTakeover && state?.ping ? Math.round(Math.random() * PING_MS) : 0);
    // Numbers of a later process are higher (RFC 3261 section 10.2).
    this.#cseq = Math.floor(now / 1_000);
    if (!trunk.register) return;
    const stored = trunkRegistration.nullable().safeParse(state?.registration ?? null).data ?? null;
    this.#registration = resumeRegistration(stored, state?.registeredAddress ?? null, now);
    if (this.#registration.phase === 'registered' && stored) this.#shown = shownOf(stored);
  }

  /** What a change must not alter for the registration to remain valid. */
  get settings(): string {
    const { host, port, transport, destinations, quirks, username, passwordSealed, register, ingressLabel } =
      this.#trunk;
    return JSON.stringify([
      ...[host, port, transport, destinations, quirks, username, passwordSealed, register, ingressLabel],
    ]);
  }

  /** New rows with the same settings. A test may have stored a later ping. */
  refresh(trunk: WatchedTrunk): void {
    const stored = storedReachability(trunk);
    if ((stored.storedAt?.getTime() ?? 0) > (this.#reachability.storedAt?.getTime() ?? 0))
      this.#reachability = stored;
    this.#trunk = trunk;
  }

  tick(now: number): void {
    if (now >= this.#pingAt && !this.#pinging) this.#start('ping a trunk', () => this.#ping());
    if (!this.#registration) return;
    this.#apply(this.#isContactLost(now) ? { type: 'contact-lost' } : { type: 'tick' });
  }

  /** @param unregister the trunk no longer registers this way */
  async stop(unregister: boolean): Promise<void> {
    this.#stopped = true;
    const { deps, nodes } = this.#context;
    const isBound = this.#registration?.phase === 'registered';
    if (!unregister || !this.#registration) return;
    this.#registration = null;
    if (isBound) {
      const payload = { target: this.#target(0), registration: this.#identity() };
      const preferred = this.#contact?.mediaNodeId ?? null;
      const requested = await requestThroughMedia(nodes, 'trunk:unregister', payload, preferred);
      deps.log.info(
        { trunkId: this.#trunk.id, status: requested?.reply.status ?? null },
        'trunk unregistered',
      );
    }
    await this.#storing;
    await storeRegistration(deps.db, this.#trunk.id, null, null);
  }

  #start(what: string, work: () => Promise<void>): void {
    this.#context.work.start(what, { trunkId: this.#trunk.id }, work);
  }

  /** The trunk's own host, and if it does not respond its further destinations. */
  async #ping(): Promise<void> {
    const { deps, nodes, watches } = this.#context;
    this.#pinging = true;
    try {
      let result: ReturnType<typeof pingOf> | null = null;
      for (let index = 0; index < this.#destinations && !result?.up; index += 1) {
        const requested = await requestThroughMedia(nodes, 'trunk:ping', { target: this.#target(index) });
        if (!requested) break;
        const ping = pingOf(requested.reply, deps.now());
        if (ping.up || !result) result = ping;
      }
      if (!result || this.#stopped || !watches()) return;
      const { next, store, changed, confirm } = observe(this.#reachability, result, deps.now());
      this.#reachability = next;
      if (confirm) this.#pingAt = deps.now().getTime() + CONFIRM_MS;
      if (changed) {
        const { status, error, target } = result;
        deps.log.info(
          { trunkId: this.#trunk.id, status, error, target },
          `trunk ${result.up ? 'up' : 'down'}`,
        );
      }
      if (store) await storePing(deps.db, this.#trunk.id, result);
    } finally {
      this.#pinging = false;
      const now = deps.now().getTime();
      if (this.#pingAt <= now) this.#pingAt = now + withJitter(PING_MS, PING_JITTER, Math.random());
    }
  }

  #isContactLost(now: number): boolean {
    const contact = this.#contact;
    if (!contact) return false;
    if (this.#context.nodes.isConnected(contact.mediaNodeId)) {
      contact.goneSince = null;
      return false;
    }
    contact.goneSince ??= now;
    if (now - contact.goneSince < CONTACT_GRACE_MS) return false;
    this.#contact = null;
    return true;
  }

  #apply(event: RegistrationEvent): void {
    if (!this.#registration || this.#stopped) return;
    const now = this.#context.deps.now().getTime();
    const before = this.#registration;
    const { state, send } = stepRegistration(before, event, {
      now,
      random: Math.random(),
      destinations: this.#destinations,
    });
    this.#registration = state;
    if (send) this.#start('register a trunk', () => this.#register(send));
    const isNew = state.phase === 'registering' && this.#shown === null;
    if (
      isNew ||
      state.phase !== before.phase ||
      state.expiresAt !== before.expiresAt ||
      state.code !== before.code
    )
      this.#store(presentRegistration(state, new Date(now)), state.address);
  }

  async #register({
    destination,
    expiresSeconds,
  }: {
    destination: number;
    expiresSeconds: number;
  }): Promise<void> {
    const { nodes, watches } = this.#context;
    const payload = { target: this.#target(destination), registration: this.#identity(), expiresSeconds };
    let event: RegistrationEvent = { type: 'not-sent' };
    try {
      const preferred = this.#contact?.mediaNodeId ?? null;
      const requested = await requestThroughMedia(nodes, 'trunk:register', payload, preferred);
      if (requested) {
        this.#contact = { mediaNodeId: requested.mediaNodeId, goneSince: null };
        event = { type: 'reply', reply: requested.reply };
      }
    } finally {
      if (watches()) this.#apply(event);
    }
  }

  /** Changes and refreshes are stored, and only changes are logged. */
  #store(registration: TrunkRegistration, address: string | null): void {
    const { deps, work } = this.#context;
    const { id: trunkId } = this.#trunk;
    const shown = shownOf(registration);
    if (shown !== this.#shown) {
      const { state, status, code, target } = registration;
      deps.log.info({ trunkId, state, status, code, target }, 'registration of a trunk changed');
    }
    this.#shown = shown;
    this.#storing = this.#storing.then(() => storeRegistration(deps.db, trunkId, registration, address));
    work.start('store a registration', { trunkId }, () => this.#storing);
  }

  get #destinations(): number {
    return 1 + (Array.isArray(this.#trunk.destinations) ? this.#trunk.destinations.length : 0);
  }

  /** 0: the trunk's own host; then its further destinations by priority. */
  #target(index: number): TrunkTarget {
    const target = trunkTarget(this.#trunk, this.#context.deps.secrets);
    const further = target.destinations.toSorted((a, b) => a.priority - b.priority || b.weight - a.weight);
    const { host, port } = further[index - 1] ?? target;
    return index === 0 ? target : { ...target, host, port, useSrv: false };
  }

  #identity() {
    this.#cseq += 2; // a challenged request is repeated with the next number
    const { id, ingressLabel } = this.#trunk;
    return { contactUser: ingressLabel, sipCallId: `trunk-${id}-${ingressLabel}`, cseq: this.#cseq };
  }
}

const shownOf = ({ state, code, target }: TrunkRegistration): string => JSON.stringify([state, code, target]);

function storedReachability({ state }: WatchedTrunk): Reachability {
  const ping = trunkPing.nullable().safeParse(state?.ping ?? null).data ?? null;
  if (ping === null) return { up: null, failures: 0, storedAt: null };
  return { up: ping.up, failures: 0, storedAt: new Date(ping.at) };
}
