import fc from 'fast-check';
import { expect, test } from 'vitest';
import { payloadOf } from './payload.ts';
import {
  emptySchedule,
  eventKinds,
  flush,
  nextFlushAt,
  submit,
  type NewFault,
  type Post,
  type Schedule,
  type WebhookEvent,
} from './schedule.ts';

const events = fc
  .array(
    fc.record({
      kind: fc.constantFrom(...eventKinds),
      subject: fc.constantFrom('a', 'b'),
      phoneNumberId: fc.constantFrom('1', '2'),
      gapMs: fc.nat(3000),
    }),
    { maxLength: 20 },
  )
  .map((list) => {
    let at = 0;
    return list.map(({ kind, subject, phoneNumberId, gapMs }, i) => {
      at += gapMs;
      const event: WebhookEvent = {
        id: String(i),
        kind,
        subject,
        wabaId: 'w',
        phoneNumberId,
        field: kind === 'permission_reply' ? 'messages' : 'calls',
        value: { calls: [i] },
      };
      return { at, event };
    });
  });

const effects = fc.oneof(
  fc.record({ kind: fc.constant('late' as const), delayMs: fc.nat(5000) }),
  fc.record({ kind: fc.constant('duplicate' as const), copies: fc.nat(3), gapMs: fc.nat(1000) }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'forged' as const, 'unsigned' as const) }),
  fc.record({
    kind: fc.constant('reorder' as const),
    behind: fc.constantFrom(...eventKinds, 'any' as const),
    maxHoldMs: fc.nat(5000),
  }),
  fc.record({
    kind: fc.constant('batch' as const),
    size: fc.integer({ min: 1, max: 4 }),
    windowMs: fc.nat(5000),
    shape: fc.constantFrom('entries' as const, 'changes' as const, 'values' as const),
  }),
);

const faults = fc.array(
  fc
    .tuple(
      effects,
      fc.option(fc.integer({ min: 1, max: 5 })),
      fc.oneof(fc.constant('all' as const), fc.subarray([...eventKinds], { minLength: 1 })),
      fc.constantFrom({}, { phoneNumberId: '1' }),
    )
    .map(([effect, times, kinds, number]): NewFault => ({ ...effect, times, events: kinds, ...number })),
  { maxLength: 4 },
);

/** Submits every event at its time, flushes when it is due, and lists all POSTs in the order in which they are sent. */
function run(list: { at: number; event: WebhookEvent }[], rules: NewFault[]): Post[] {
  let schedule: Schedule = {
    ...emptySchedule,
    faults: rules.map((rule, i) => ({ ...rule, id: String(i) })),
  };
  const posts: Post[] = [];
  const flushUntil = (until: number): void => {
    for (let at = nextFlushAt(schedule); at !== null && at <= until; at = nextFlushAt(schedule)) {
      const planned = flush(schedule, at);
      schedule = planned.schedule;
      posts.push(...planned.posts);
    }
  };
  for (const { at, event } of list) {
    flushUntil(at);
    const planned = submit(schedule, event, at);
    schedule = planned.schedule;
    posts.push(...planned.posts);
  }
  flushUntil(Infinity);
  return posts.toSorted((a, b) => a.dueAt - b.dueAt);
}

/** Which fault decides about each event, by the rule of the documentation. */
function decided(list: { event: WebhookEvent }[], rules: NewFault[]): (NewFault | null)[] {
  const left = rules.map((rule) => ({ rule, times: rule.times ?? Infinity }));
  return list.map(({ event }) => {
    const found = left.find(
      ({ rule: { events: kinds, phoneNumberId }, times }) =>
        times > 0 &&
        (kinds === 'all' || kinds.includes(event.kind)) &&
        (phoneNumberId === undefined || phoneNumberId === event.phoneNumberId),
    );
    if (!found) return null;
    found.times -= 1;
    return found.rule;
  });
}

const deliveriesOf = (posts: Post[], { id }: WebhookEvent): Post[] =>
  posts.filter((post) => post.events.some((event) => event.id === id));

test('every event is delivered exactly as often and as signed as its fault says', () => {
  fc.assert(
    fc.property(events, faults, (list, rules) => {
      const posts = run(list, rules);
      decided(list, rules).forEach((rule, i) => {
        const those = deliveriesOf(posts, list[i]!.event);
        const expected = rule?.kind === 'lost' ? 0 : rule?.kind === 'duplicate' ? rule.copies + 1 : 1;
        expect(those).toHaveLength(expected);
        const signature =
          rule?.kind === 'forged' ? 'forged' : rule?.kind === 'unsigned' ? 'absent' : 'genuine';
        for (const post of those) expect(post.signature).toBe(signature);
      });
    }),
  );
});

test('no event is delivered before it happened, and late ones exactly after their delay', () => {
  fc.assert(
    fc.property(events, faults, (list, rules) => {
      const posts = run(list, rules);
      decided(list, rules).forEach((rule, i) => {
        const { at, event } = list[i]!;
        for (const { dueAt } of deliveriesOf(posts, event)) {
          expect(dueAt).toBeGreaterThanOrEqual(at);
          if (rule?.kind === 'late') expect(dueAt).toBe(at + rule.delayMs);
          if (rule === null) expect(dueAt).toBe(at);
        }
      });
    }),
  );
});

test('events without a fault keep their order', () => {
  fc.assert(
    fc.property(events, faults, (list, rules) => {
      const posts = run(list, rules);
      const plain = decided(list, rules).flatMap((rule, i) => (rule === null ? [list[i]!.event.id] : []));
      const sent = posts
        .flatMap((post) => post.events.map(({ id }) => id))
        .filter((id) => plain.includes(id));
      expect(sent).toEqual(plain);
    }),
  );
});

const event = (id: string, kind: WebhookEvent['kind'], subject = 'call'): WebhookEvent => ({
  id,
  kind,
  subject,
  wabaId: 'w',
  phoneNumberId: 'p',
  field: 'calls',
  value: { metadata: { phone_number_id: 'p' }, calls: [{ id }] },
});

test('terminate before connect: a held connect follows the terminate of its own call', () => {
  const rule = {
    kind: 'reorder',
    behind: 'terminate',
    maxHoldMs: 9000,
    times: 1,
    events: ['connect'],
  } as const;
  const order = run(
    [
      { at: 0, event: event('connect', 'connect') },
      { at: 10, event: event('other', 'terminate', 'another call') },
      { at: 20, event: event('ringing', 'ringing') },
      { at: 30, event: event('terminate', 'terminate') },
    ],
    [rule],
  ).flatMap((post) => post.events.map(({ id }) => id));
  expect(order).toEqual(['other', 'ringing', 'terminate', 'connect']);
});

test('a held event is sent after its limit if nothing comes to follow', () => {
  const rule = { kind: 'reorder', behind: 'any', maxHoldMs: 500, times: 1, events: 'all' } as const;
  const posts = run([{ at: 100, event: event('connect', 'connect') }], [rule]);
  expect(posts.map(({ dueAt }) => dueAt)).toEqual([600]);
});

test.each([
  ['entries', { entry: 2, changes: 1, calls: 1 }],
  ['changes', { entry: 1, changes: 2, calls: 1 }],
  ['values', { entry: 1, changes: 1, calls: 2 }],
] as const)('a batch of the shape %s holds both events', (shape, sizes) => {
  const events = [event('1', 'connect'), event('2', 'connect')];
  const { entry } = payloadOf({ events, shape }) as {
    entry: { changes: { value: { calls: object[] } }[] }[];
  };
  const changes = entry[0]?.changes ?? [];
  expect({ entry: entry.length, changes: changes.length, calls: changes[0]?.value.calls.length }).toEqual(
    sizes,
  );
});
