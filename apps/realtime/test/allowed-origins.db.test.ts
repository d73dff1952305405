/** The origins of the pages from which an account's agents may connect. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AppSocket } from './app-socket.ts';
import { RealtimeFixture } from './fixture.ts';

const ALLOWED = 'https://app.example.com';
const ELSEWHERE = 'https://elsewhere.example.com';
let fixture: RealtimeFixture;
let node: { url: string };

beforeAll(async () => {
  fixture = await RealtimeFixture.create();
  node = await fixture.startNode({ baseUrl: 'https://calls.example.com' });
});
afterAll(() => fixture?.close());

async function connectsFrom(origin?: string): Promise<string> {
  const app = new AppSocket(node.url, fixture.token('ada'), 'device-1', origin);
  try {
    return (await app.session()).agent.agentRef;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    app.close();
  }
}

test('an account without allowed origins admits agents from every page', async () => {
  expect(await connectsFrom(ELSEWHERE)).toBe('ada');
});

test('an account with allowed origins admits agents only from these, from the service itself and from native apps', async () => {
  await fixture.db.consumer.update({
    where: { id: fixture.consumer.id },
    data: { allowedOrigins: [ALLOWED] },
  });
  expect(await connectsFrom(ALLOWED)).toBe('ada');
  expect(await connectsFrom('https://calls.example.com')).toBe('ada');
  expect(await connectsFrom()).toBe('ada');
  expect(await connectsFrom(ELSEWHERE)).toBe('forbidden');
  expect(await connectsFrom('null')).toBe('forbidden');
});
