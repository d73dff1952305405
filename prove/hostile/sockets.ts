/** Attacks on the sockets of agents, the dashboard and media nodes. */
import type { Socket } from 'socket.io-client';
import { MAX_UNAUTHENTICATED_PER_ADDRESS } from '../../apps/realtime/src/sockets/unauthenticated.ts';
import type { Attack } from './attack.ts';
import type { Scene } from './scene.ts';
import { inParallel, openLine, openWebSocket, say, stranger, textFrame, upgradeOf } from './wire.ts';

const MEGABYTE = 2 ** 20;
const CLOSE_MS = 3_000;
/** realtime's connectTimeout, plus the 30 s for which `ws` waits for a closing handshake. */
const GONE_MS = 45_000;
const UNANSWERED_UPGRADES = ['/', '/v1/calls', '/app', '/socket.iox', '/media/socket.io?EIO=4', '/_next/hmr'];

const ones = (count: number) => '1,'.repeat(count) + '1';
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

/** Through the web process, like external clients, and directly at realtime's port. */
const doors = ({ t }: Scene) => [t.stack.ports.web, t.stack.ports.realtime];

/** Messages, or sequences of messages, from an unauthenticated socket. */
const MESSAGES: readonly (readonly string[])[] = [
  ['40', `42["a",${ones(100_000)}]`],
  ['40', `42["a",${ones(30_000)}]`],
  ['40/agent,{"token":"x","deviceId":"d"}', `42/agent,["a",${ones(30_000)}]`],
  [`40/agent,{"token":${nested(8_000)}}`],
  [`40/agent,${nested(50_000)}`],
  [`42["${'x'.repeat(4 * MEGABYTE)}"]`],
  [`40/media,{"secret":"${'x'.repeat(MEGABYTE)}"}`],
  ['451-["a",{"_placeholder":true,"num":0}]'],
  ['459999999999-["a"]', '4'],
  ['43[1]', '430[1]', '41', '49', '4', '2probe', '5', '6', '7'],
  ['40/agent,{"__proto__":{"token":1},"token":{"toString":1},"deviceId":[]}'],
  Array.from({ length: 200 }, () => '40/agent,{"token":"x","deviceId":"d"}'),
  Array.from({ length: 200 }, (_, i) => `40/${i},{}`),
];

const unauthenticatedMessages: Attack = {
  name: 'unauthenticated messages',
  async run(scene, scale) {
    for (const port of doors(scene)) {
      const rounds = Array.from({ length: Math.ceil(10 * scale) }, () => MESSAGES).flat();
      await inParallel(rounds, 10, async (messages) => {
        const line = await openWebSocket(port, stranger(scene.random));
        for (const message of messages) line?.socket.write(textFrame(message));
        await line?.closedWithin(50);
        line?.socket.destroy();
      });
    }
    return [];
  },
};

const longPolling: Attack = {
  name: 'unauthenticated long polling',
  async run(scene, scale) {
    const bodies = ['40', `42["a",${ones(100_000)}]`, 'x'.repeat(4 * MEGABYTE), '\x1e'.repeat(50_000), ''];
    const rounds = Array.from({ length: Math.ceil(10 * scale) }, () => bodies).flat();
    await inParallel(rounds, 5, async (body) => {
      const [, realtime = 0] = doors(scene);
      const from = stranger(scene.random);
      const path = '/socket.io?EIO=4&transport=polling';
      const head = `Host: a\r\nConnection: close\r\n`;
      const hello = await say(realtime, `GET ${path} HTTP/1.1\r\n${head}\r\n`, { from, waitMs: CLOSE_MS });
      const sid = /"sid":"([^"]+)"/.exec(hello)?.[1] ?? 'none';
      const post = `POST ${path}&sid=${sid} HTTP/1.1\r\n${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      await say(realtime, post, { from, waitMs: CLOSE_MS });
    });
    return [];
  },
};

const idleUpgrades: Attack = {
  name: 'idle upgrades of other paths',
  async run(scene, scale) {
    const count = Math.ceil(20 * scale);
    const lines = doors(scene).flatMap((port) =>
      Array.from({ length: count }, () => UNANSWERED_UPGRADES).flatMap((paths) =>
        paths.map((path) => {
          const line = openLine(port, stranger(scene.random));
          line.socket.write(upgradeOf(path));
          return { line, name: `an idle upgrade of ${path} at port ${port} stayed open` };
        }),
      ),
    );
    await Promise.all(lines.map(({ line }) => line.closedWithin(CLOSE_MS)));
    const open = lines.filter(({ line }) => !line.closed);
    for (const { line } of lines) line.socket.destroy();
    return [...new Set(open.map(({ name }) => name))];
  },
};

const silentSockets: Attack = {
  name: 'sockets that never authenticate',
  async run(scene, scale) {
    const wrong: string[] = [];
    await Promise.all(
      doors(scene).map(async (port) => {
        const from = stranger(scene.random);
        // Realtime trusts the address header here, because the test runs on the same machine as the web process.
        const asked = Array.from({ length: MAX_UNAUTHENTICATED_PER_ADDRESS + 50 }, () =>
          openWebSocket(port, from),
        );
        const lines = (await Promise.all(asked)).filter((line) => line !== null);
        if (lines.length > MAX_UNAUTHENTICATED_PER_ADDRESS) {
          wrong.push(`port ${port} accepted ${lines.length} unauthenticated sockets from one address`);
        }
        if (lines.length === 0) wrong.push(`port ${port} accepted no socket at all`);
        // The short form does not wait for their end.
        if (scale === 1) await Promise.all(lines.map((line) => line.closedWithin(GONE_MS)));
        const open = lines.filter(({ closed }) => !closed).length;
        if (open > 0 && scale === 1) wrong.push(`port ${port} kept ${open} unauthenticated sockets`);
        for (const { socket } of lines) socket.destroy();
      }),
    );
    return wrong;
  },
};

const mediaWithoutSecret: Attack = {
  name: 'the media protocol without its secret',
  async run(scene, scale) {
    const { realtime, web } = scene.t.stack.ports;
    const wrong: string[] = [];
    const path = '/media/socket.io?EIO=4&transport=websocket';
    await inParallel(Array.from({ length: Math.ceil(100 * scale) }), 10, async () => {
      for (const port of [realtime, web]) {
        for (const header of [
          '',
          'Authorization: Bearer guess\r\n',
          `Authorization: ${'x'.repeat(8_000)}\r\n`,
        ]) {
          const bytes = upgradeOf(path, header);
          const answer = await say(port, bytes, { from: stranger(scene.random), waitMs: CLOSE_MS });
          if (answer.includes(' 101 ')) wrong.push(`port ${port} accepted a media node without the secret`);
        }
      }
    });
    return wrong;
  },
};

const HOSTILE_NAMES = ['call:accept', 'call:start', 'monitor:start', 'board:watch', 'error', '__proto__'];

/** An agent with a valid token and a hostile app. */
const hostileAgent: Attack = {
  name: 'an agent with a hostile app',
  async run({ t }, scale) {
    await t.v1.ok('PUT', '/v1/tenants/shop/agents/eve', { name: 'eve' });
    const payloads = [
      null,
      [],
      {},
      'x'.repeat(60_000),
      { callId: { $gt: 0 } },
      { callId: 2 ** 60 },
      Array(1_500).fill(1),
    ];
    for (let round = 0; round < Math.ceil(5 * scale); round += 1) {
      for (const payload of payloads) {
        const eve = await t.agent('eve');
        const socket: Socket = eve.socket; // may send arbitrary messages
        for (const message of HOSTILE_NAMES) socket.emit(message, payload);
        socket.emit('call:hangup', ...Array<number>(20_000).fill(1));
        await new Promise((resolve) => eve.socket.once('disconnect', resolve));
        eve.close();
      }
    }
    return [];
  },
};

export const socketAttacks: readonly Attack[] = [
  unauthenticatedMessages,
  longPolling,
  idleUpgrades,
  mediaWithoutSecret,
  hostileAgent,
];
/** Takes as long as realtime waits for a handshake, so it runs concurrently with the others. */
export const slowSocketAttacks: readonly Attack[] = [silentSockets];
