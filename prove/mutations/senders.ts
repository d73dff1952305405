/** Sends mutated messages of one kind, as fast as the other side accepts them. */
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { Scene } from '../hostile/scene.ts';
import { sipRequest } from '../hostile/telephony.ts';
import { HOST, openDatagrams, openLine, openWebSocket, say, stranger, textFrame } from '../hostile/wire.ts';
import { agentCorpus, audioCorpus, handshakeCorpus, httpCorpus, sipCorpus } from './corpus.ts';
import { mutated } from './mutate.ts';

/** Enough addresses that the flood guard, which counts per address, accepts most messages. */
const ADDRESSES = 64;
/** Datagrams that the kernel buffers for the socket of a busy process. */
const DATAGRAMS_AT_ONCE = 200;
const ANSWER_MS = 2_000;
const MESSAGES_PER_CONNECTION = 20;
const SOCKET_LANES = 4;
const HTTP_LANES = 8;
/** Incomplete requests are closed after this. */
const HTTP_MS = 250;
const CLOSE_MS = 20;

export type Sender = (scene: Scene, count: number, random: SeededRandom) => Promise<void>;

async function datagramsTo(
  count: number,
  random: SeededRandom,
  corpus: readonly Buffer[],
  { ports, taken }: { ports: () => readonly number[]; taken: () => Promise<void> },
): Promise<void> {
  const senders = await Promise.all(Array.from({ length: ADDRESSES }, () => openDatagrams(stranger(random))));
  for (let sent = 0; sent < count; sent += 1) {
    await random.pick(senders).send(mutated(random, corpus), random.pick(ports()));
    if (sent % DATAGRAMS_AT_ONCE === 0) await taken();
  }
  for (const sender of senders) sender.close();
}

export const sipOverUdp: Sender = async ({ t }, count, random) => {
  const probe = await openDatagrams(HOST);
  await datagramsTo(count, random, sipCorpus, {
    ports: () => [t.sip.port],
    // Media answers this after everything that was sent before it.
    taken: async () => {
      await Promise.all([probe.answered(ANSWER_MS), probe.send(sipRequest('OPTIONS'), t.sip.port)]);
    },
  });
  probe.close();
};

export const sipOverTcp: Sender = async ({ t }, count, random) => {
  for (let sent = 0; sent < count; sent += MESSAGES_PER_CONNECTION) {
    const { socket, closedWithin } = openLine(t.sip.port, stranger(random));
    for (let i = 0; i < Math.min(MESSAGES_PER_CONNECTION, count - sent); i += 1)
      socket.write(mutated(random, sipCorpus));
    await closedWithin(CLOSE_MS);
    socket.destroy();
  }
};

/** From unknown sources, which the source lock rejects, and from the carrier's own port. */
export const audio: Sender = async ({ t, live }, count, random) => {
  const port = live.call.audio.remote?.port ?? 0;
  const taken = async () => void (await fetch(`http://${HOST}:${t.stack.ports.media}/healthz`));
  const own = Math.floor(count / 2);
  await datagramsTo(count - own, random, audioCorpus, {
    ports: () => [port, port + 1, t.stack.ports.webrtc],
    taken,
  });
  for (let sent = 0; sent < own; sent += 1) {
    live.call.audio.sendRaw(mutated(random, audioCorpus));
    if (sent % DATAGRAMS_AT_ONCE === 0) await taken();
  }
};

/** Before and after the handshake, through the web process and directly at realtime's port. */
export const sockets: Sender = async ({ t }, count, random) => {
  const token = t.token('eve');
  await t.v1.ok('PUT', '/v1/tenants/shop/agents/eve', { name: 'eve' });
  let left = count;
  const lane = async (own: SeededRandom) => {
    while (left > 0) {
      const messages = Math.min(MESSAGES_PER_CONNECTION, left);
      left -= messages;
      const isAgent = own.often(0.5);
      const port = own.pick([t.stack.ports.web, t.stack.ports.realtime]);
      const line = await openWebSocket(port, stranger(own));
      if (!line) continue;
      if (isAgent) line.socket.write(textFrame(`40/agent,${JSON.stringify({ token, deviceId: 'm' })}`));
      if (isAgent) await heard(() => line.text.includes('"session"') || line.closed);
      const corpus = isAgent ? agentCorpus : handshakeCorpus;
      for (let i = 0; i < messages; i += 1)
        line.socket.write(textFrame(mutated(own, corpus).toString('latin1')));
      await line.closedWithin(CLOSE_MS);
      line.socket.destroy();
    }
  };
  await Promise.all(Array.from({ length: SOCKET_LANES }, () => lane(random.child())));
};

export const requests: Sender = async ({ t }, count, random) => {
  const corpus = httpCorpus(t.account.apiKey);
  let left = count;
  const lane = async (own: SeededRandom) => {
    while (left > 0) {
      left -= 1;
      await say(t.stack.ports.web, mutated(own, corpus), { from: stranger(own), waitMs: HTTP_MS });
    }
  };
  await Promise.all(Array.from({ length: HTTP_LANES }, () => lane(random.child())));
};

async function heard(happened: () => boolean): Promise<void> {
  const deadline = performance.now() + ANSWER_MS;
  while (!happened() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
}
