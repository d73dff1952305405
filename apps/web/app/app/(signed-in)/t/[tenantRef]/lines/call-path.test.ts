import { expect, test } from 'vitest';
import { toE164, destinationOf, callPath } from './call-path.ts';
import type { LineFacts } from './call-path.ts';

const member = { agentRef: 'ada', agentId: 1, priority: 1, skills: [] };
const queue = { name: 'Support', strategy: 'ROUND_ROBIN', maxWaitSeconds: 300, members: [member] } as const;
const plain: LineFacts = {
  disabled: false,
  owner: null,
  ringSeconds: 30,
  queue: { ...queue, members: [member] },
  overflow: null,
  flows: [],
};
const flow = (triggerCondition: LineFacts['flows'][number]['triggerCondition'], status = 'ACTIVE') => ({
  ref: triggerCondition,
  name: triggerCondition.toLowerCase(),
  status: status as 'ACTIVE' | 'DISABLED',
  triggerCondition,
});
const said = (facts: LineFacts) =>
  callPath(facts).map(({ when, what, after }) => [when, what, after].filter(Boolean).join(' '));

test('a queue is described with its ring strategy and with how the wait ends', () => {
  expect(said(plain)).toEqual([
    'The caller waits in the queue Support, which rings its members one after another. After 5 minutes, the call ends.',
  ]);
  expect(said({ ...plain, overflow: { name: 'Everybody' } })[0]).toContain(
    'After 5 minutes, the call overflows to the queue Everybody.',
  );
  expect(said({ ...plain, queue: { ...queue, members: [member], maxWaitSeconds: null } })[0]).toContain(
    'until an agent answers',
  );
});

test('a queue without members has a warning', () => {
  const [step] = callPath({ ...plain, queue: { ...queue, members: [] } });
  expect(step).toMatchObject({ warning: true, what: expect.stringContaining('no members') });
});

test('flows are listed in the order of the service, with ALWAYS last', () => {
  const flows = [flow('ALWAYS'), flow('ALL_AGENTS_BUSY'), flow('ALL_AGENTS_OFFLINE')];
  expect(said({ ...plain, flows })).toEqual([
    'If no agent of the queue is on shift The flow all_agents_offline answers.',
    'If all agents of the queue are on a call The flow all_agents_busy answers.',
    'The flow always answers.',
  ]);
  expect(said({ ...plain, flows: flows.slice(1) }).at(-1)).toMatch(
    /^Otherwise The caller waits in the queue/,
  );
});

test('a disabled flow answers no calls', () => {
  expect(said({ ...plain, flows: [flow('ALWAYS', 'DISABLED')] })).toEqual(said(plain));
});

test('a personal line rings its owner regardless of flows and queues', () => {
  const owner = { name: 'Ada', doNotDisturb: false };
  expect(said({ ...plain, owner, flows: [flow('ALWAYS')] })).toEqual([
    'The call rings Ada on all devices, on shift or not. After 30 seconds, it ends unanswered.',
  ]);
  expect(callPath({ ...plain, owner: { ...owner, doNotDisturb: true } })).toMatchObject([{ warning: true }]);
});

test('a line with neither rejects calls, and so does a disabled line', () => {
  expect(said({ ...plain, queue: null })).toEqual([
    'Calls are rejected because the line is for outbound calls only.',
  ]);
  expect(said({ ...plain, disabled: true })).toEqual(['Calls are rejected because the line is disabled.']);
});

test('a list shows the flow that answers a line, not the queue after it', () => {
  expect(destinationOf({ ...plain, flows: [flow('ALWAYS')] })).toEqual({
    name: 'Flow always',
    exception: null,
  });
  expect(destinationOf({ ...plain, flows: [flow('ALWAYS', 'DISABLED')] }).name).toBe('Queue Support');
  expect(destinationOf({ ...plain, flows: [flow('ALL_AGENTS_BUSY')] })).toEqual({
    name: 'Queue Support',
    exception: 'Flow all_agents_busy when no agent is available',
  });
  expect(destinationOf({ ...plain, queue: null }).name).toBe('Outbound calls only');
});

test.each([
  ['+44 20 7183 8750', '+442071838750'],
  ['0044 (20) 7183-8750', '+442071838750'],
  ['442071838750', '+442071838750'],
  ['hello', null],
  ['', null],
])('%j is stored as %j', (typed, kept) => {
  expect(toE164(typed)).toBe(kept);
});
