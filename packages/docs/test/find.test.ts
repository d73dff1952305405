/** Finding a page by its name, by a misspelt name and by a search. */
import { describe, expect, test } from 'vitest';
import { docs } from './docs.ts';

describe('reading a page', () => {
  test.each([
    ['guides/webhooks', 'guides/webhooks'],
    ['/docs/guides/webhooks', 'guides/webhooks'],
    ['docs/Guides/Webhooks.md', 'guides/webhooks'],
    ['https://calls.example.com/docs/guides/webhooks#envelope', 'guides/webhooks'],
    [' reference/put-queue/ ', 'reference/put-queue'],
    ['', 'index'],
    ['/docs', 'index'],
    ['CHANGELOG', 'changelog'],
  ])('accepts %j', (asked, name) => expect(docs.read(asked)?.name).toBe(name));

  test.each(['guides/nothing', '../package', 'constructor', 'guides'])('finds nothing at %j', (asked) =>
    expect(docs.read(asked)).toBeNull(),
  );
});

describe('did you mean', () => {
  test.each([
    ['webhook', 'guides/webhooks'],
    ['guide/webhooks', 'guides/webhooks'],
    ['reference/putqueue', 'reference/put-queue'],
    ['quickstart', 'quick-start'],
    ['guides/idempotence', 'guides/idempotency'],
    ['put-channel', 'reference/put-channel'],
  ])('%j: %s', (asked, name) => expect(docs.suggest(asked)).toContain(name));
});

describe('a very long name', () => {
  const long = `${'/'.repeat(50)}guides${'/'.repeat(1_000_000)}x`;
  test('is no page, and still returns suggestions in a short time', () => {
    expect(docs.read(long)).toBeNull();
    expect(docs.suggest(long)).toHaveLength(3);
  });
});

describe('searching', () => {
  test.each([
    ['how do I verify a webhook signature', 'guides/webhooks'],
    ['idempotency key', 'guides/idempotency'],
    ['rate limit', 'guides/rate-limits'],
    ['what error codes are there', 'guides/errors'],
    ['invalid_customer', 'guides/outbound-calls'],
    ['sign an agent token', 'guides/agents'],
    ['personal line', 'guides/lines'],
    ['GDPR right to be forgotten', 'guides/calls'],
    ['how long are recordings kept', 'guides/recordings'],
    ['first call in ten minutes', 'quick-start'],
    ['add to Cursor', 'guides/assistant'],
    ['checklist go live', 'guides/going-live'],
    ['service level definition', 'guides/reports'],
    ['round robin', 'guides/queues'],
    ['whatsapp', 'guides/whatsapp'],
    ['fcm apns push', 'guides/push'],
    ['rotate api key', 'guides/security'],
    ['what happens to an inbound call', 'concepts'],
    ['press 1 for sales menu', 'guides/ivr'],
    ['whisper to the agent', 'guides/supervisors'],
    ['launch token dashboard', 'guides/dashboard'],
    ['outbound call', 'guides/outbound-calls'],
    ['list calls', 'guides/calls'],
    ['create or replace queue', 'reference/put-queue'],
    ['CLARION_MASTER_KEY', 'operator'],
    ['paging', 'guides/api-conventions'],
    ['webhok retries', 'guides/webhooks'],
    ['idempotncy', 'guides/idempotency'],
  ])('%j finds %s first', (query, name) => {
    const [first] = docs.search(query);
    expect(first?.page.name).toBe(name);
    expect(first?.passage).toMatch(/\S/);
  });

  test('finds a page by the beginning of a word', () => {
    expect(docs.search('idemp')[0]?.page.name).toBe('guides/idempotency');
  });

  test('returns the matching sentence with its heading', () => {
    const [hit] = docs.search('redirects of webhooks are not followed');
    expect(hit).toMatchObject({ heading: 'Retries', anchor: 'retries' });
    expect(hit?.passage).toContain('Redirects are not followed');
  });

  test('finds nothing for nonsense or an empty query, and respects the limit', () => {
    expect(docs.search('xqzzyv')).toEqual([]);
    expect(docs.search('  ')).toEqual([]);
    expect(docs.search('call', 3)).toHaveLength(3);
  });

  test('counts each term once, and ignores the terms beyond the limit', () => {
    const scores = (query: string) => docs.search(query).map(({ page, score }) => [page.name, score]);
    expect(scores('queue members queue members')).toEqual(scores('queue members'));
    const words = Array.from({ length: 16 }, (_, index) => `word${index}`).join(' ');
    expect(scores(`queue ${words} webhook`)).toEqual(scores(`queue ${words}`));
  });
});
