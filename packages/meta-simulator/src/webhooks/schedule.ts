/**
 * Decides which POSTs deliver which webhook events, and when: each event in one POST at once, unless a fault says otherwise. The first
 * fault that names the kind of an event and has uses left decides about it. Pure.
 */

export const eventKinds = [
  'connect',
  'terminate',
  'ringing',
  'accepted',
  'rejected',
  'permission_reply',
] as const;
export type EventKind = (typeof eventKinds)[number];

export interface WebhookEvent {
  readonly id: string;
  readonly kind: EventKind;
  /** The call, or the customer of a permission reply: what an order is defined for. */
  readonly subject: string;
  readonly wabaId: string;
  readonly phoneNumberId: string;
  readonly field: 'calls' | 'messages';
  readonly value: object;
}

export type FaultEffect =
  | { readonly kind: 'late'; readonly delayMs: number }
  | { readonly kind: 'duplicate'; readonly copies: number; readonly gapMs: number }
  | { readonly kind: 'lost' }
  /** Signed with another secret. */
  | { readonly kind: 'forged' }
  | { readonly kind: 'unsigned' }
  /** Delivered after the next event of this kind of the same call, or after `maxHoldMs`. */
  | { readonly kind: 'reorder'; readonly behind: EventKind | 'any'; readonly maxHoldMs: number }
  /** Collected until there are `size` events, or for `windowMs`. */
  | { readonly kind: 'batch'; readonly size: number; readonly windowMs: number; readonly shape: BatchShape };

/** One entry per event, one change per event in an entry, or merged lists in one change. */
export type BatchShape = 'entries' | 'changes' | 'values';

export type Fault = FaultEffect & {
  readonly id: string;
  readonly events: readonly EventKind[] | 'all';
  /** Only events of this business number; absent: of any. */
  readonly phoneNumberId?: string;
  /** How many more events it affects; null is all. */
  readonly times: number | null;
};

/** `Omit` of a union would keep only the common fields. */
type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never;
export type NewFault = WithoutId<Fault>;

export interface Post {
  readonly dueAt: number;
  readonly events: readonly WebhookEvent[];
  readonly signature: 'genuine' | 'forged' | 'absent';
  readonly shape: BatchShape;
}

interface Held {
  readonly event: WebhookEvent;
  readonly behind: EventKind | 'any';
  readonly until: number;
}

interface Batch {
  readonly faultId: string;
  readonly events: readonly WebhookEvent[];
  readonly until: number;
  readonly shape: BatchShape;
}

export interface Schedule {
  readonly faults: readonly Fault[];
  readonly held: readonly Held[];
  readonly batches: readonly Batch[];
}

export const emptySchedule: Schedule = { faults: [], held: [], batches: [] };

export interface Planned {
  readonly schedule: Schedule;
  readonly posts: readonly Post[];
}

export function submit(schedule: Schedule, event: WebhookEvent, now: number): Planned {
  const fault = schedule.faults.find(
    ({ events, phoneNumberId = event.phoneNumberId }) =>
      (events === 'all' || events.includes(event.kind)) && phoneNumberId === event.phoneNumberId,
  );
  const own = fault ? applyFault(use(schedule, fault), fault, event, now) : plain(schedule, event, now);
  const delivered = own.posts.filter(({ events }) => events.some(({ id }) => id === event.id));
  if (delivered.length === 0) return own;
  // What was held for this event follows its first delivery.
  const at = Math.min(...delivered.map(({ dueAt }) => dueAt));
  const [released, held] = partition(
    own.schedule.held,
    ({ event: other, behind }) =>
      other.id !== event.id && other.subject === event.subject && (behind === 'any' || behind === event.kind),
  );
  return {
    schedule: { ...own.schedule, held },
    posts: [...own.posts, ...released.map((each) => post([each.event], at))],
  };
}

/** The events whose hold or window has passed. */
export function flush(schedule: Schedule, now: number): Planned {
  const [released, held] = partition(schedule.held, ({ until }) => until <= now);
  const [due, batches] = partition(schedule.batches, ({ until }) => until <= now);
  return {
    schedule: { ...schedule, held, batches },
    posts: [
      ...released.map(({ event }) => post([event], now)),
      ...due.map(({ events, shape }) => post(events, now, shape)),
    ],
  };
}

/** When `flush` has something to do; null if nothing waits. */
export function nextFlushAt({ held, batches }: Schedule): number | null {
  const moments = [...held, ...batches].map(({ until }) => until);
  return moments.length === 0 ? null : Math.min(...moments);
}

function applyFault(schedule: Schedule, fault: Fault, event: WebhookEvent, now: number): Planned {
  switch (fault.kind) {
    case 'late':
      return { schedule, posts: [post([event], now + fault.delayMs)] };
    case 'duplicate':
      return {
        schedule,
        posts: Array.from({ length: fault.copies + 1 }, (_, i) => post([event], now + i * fault.gapMs)),
      };
    case 'lost':
      return { schedule, posts: [] };
    case 'forged':
      return { schedule, posts: [{ ...post([event], now), signature: 'forged' }] };
    case 'unsigned':
      return { schedule, posts: [{ ...post([event], now), signature: 'absent' }] };
    case 'reorder': {
      const held = { event, behind: fault.behind, until: now + fault.maxHoldMs };
      return { schedule: { ...schedule, held: [...schedule.held, held] }, posts: [] };
    }
    case 'batch': {
      const { id: faultId, size, windowMs, shape } = fault;
      const [[open], others] = partition(schedule.batches, (each) => each.faultId === faultId);
      const { until } = open ?? { until: now + windowMs };
      const batch = { faultId, until, shape, events: [...(open?.events ?? []), event] };
      return batch.events.length < size
        ? { schedule: { ...schedule, batches: [...others, batch] }, posts: [] }
        : { schedule: { ...schedule, batches: others }, posts: [post(batch.events, now, shape)] };
    }
  }
}

const plain = (schedule: Schedule, event: WebhookEvent, now: number): Planned => ({
  schedule,
  posts: [post([event], now)],
});

const post = (events: readonly WebhookEvent[], dueAt: number, shape: BatchShape = 'entries'): Post => ({
  dueAt,
  events,
  signature: 'genuine',
  shape,
});

/** A fault without uses left is removed. */
const use = (schedule: Schedule, fault: Fault): Schedule => ({
  ...schedule,
  faults: schedule.faults.flatMap((each) => {
    if (each !== fault || each.times === null) return [each];
    return each.times > 1 ? [{ ...each, times: each.times - 1 }] : [];
  }),
});

function partition<T>(items: readonly T[], test: (item: T) => boolean): [T[], T[]] {
  return [items.filter((item) => test(item)), items.filter((item) => !test(item))];
}
