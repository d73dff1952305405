import { createHmac } from 'node:crypto';
import type { IceServer } from '@clarion/protocol/socket';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealtimeFixture } from './fixture.ts';

const turn = { urls: ['turn:turn.example.com:3478'], secret: 'north' };

let fixture: RealtimeFixture;
beforeAll(async () => {
  fixture = await RealtimeFixture.create();
});
afterAll(() => fixture.close());

test('an app receives the TURN servers with its session, and again on request', async () => {
  const node = await fixture.startNode({ turn });
  const { id } = await fixture.agent('far');
  const app = await fixture.app(node, 'far');
  const isCurrent = ({ urls, username = '', credential }: IceServer) => {
    expect(urls).toEqual(turn.urls);
    expect(username).toMatch(new RegExp(`^[0-9]+:${id}$`));
    expect(Number(username.split(':')[0])).toBeGreaterThan(Date.now() / 1000 + 3500);
    expect(credential).toBe(createHmac('sha1', turn.secret).update(username).digest('base64'));
  };
  const told = [(await app.session()).iceServers, (await app.ask('ice:servers', {})).iceServers];
  expect(told.map((servers) => servers.length)).toEqual([1, 1]);
  told.flat().forEach(isCurrent);
  app.close();
});
