/** `/media`: media nodes, authenticated by their secret (sockets/socket-servers.ts), list their legs, request decisions on INVITEs and report facts. */
import { ladderMessages } from '@clarion/protocol/ladder';
import { inviteRequest, legKinds, mediaNamespace } from '@clarion/protocol/media';
import type { MediaHandshake, MediaToRealtime, RealtimeToMedia } from '@clarion/protocol/media';
import { storable } from '@clarion/protocol/storable-text';
import type { DefaultEventsMap, Namespace, Server, Socket } from 'socket.io';
import { z } from 'zod';
import type { MediaContext } from './context.ts';
import { FactIntake } from './fact-intake.ts';
import { ArrivalClock } from './fact-time.ts';
import { sentOf } from './facts.ts';
import { Invites } from './invites.ts';
import { Reconciler } from './reconcile.ts';

const handshake = z.object({
  nodeId: z.string().min(1).max(64),
  startedAt: z.string(),
  capacity: z.number().int().positive(),
});

const legSummaries = z.array(
  z.object({
    callId: z.number().int(),
    legId: z.string(),
    kind: z.enum(legKinds),
    state: z.enum(['NEW', 'CONNECTING', 'RINGING', 'CONNECTED', 'DISCONNECTED']),
  }),
);
const loadReport = z.object({
  legs: z.number().int().nonnegative(),
  cpu: z.number(),
  clockMs: z.number().optional(),
  draining: z.boolean().default(false),
});

type MediaNamespace = Namespace<MediaToRealtime, RealtimeToMedia, DefaultEventsMap, MediaHandshake>;
type MediaNodeSocket = Socket<MediaToRealtime, RealtimeToMedia, DefaultEventsMap, MediaHandshake>;

export function openMediaNamespace(io: Server, context: MediaContext): { stop: () => Promise<void> } {
  const namespace: MediaNamespace = io.of(mediaNamespace);
  const reconciler = new Reconciler(context);
  const invites = new Invites(context, reconciler);
  const facts = new FactIntake({ ...context, invites });

  namespace.use((socket, next) => {
    const auth = handshake.safeParse(socket.handshake.auth);
    if (!auth.success) {
      context.warnings.warn({ address: socket.handshake.address }, 'media node rejected: invalid handshake');
      next(new Error('invalid handshake'));
      return;
    }
    socket.data = auth.data;
    next();
  });
  namespace.on('connection', (socket) => serve(socket, context, { invites, reconciler, facts }));
  return {
    async stop() {
      reconciler.stop();
      await invites.stop();
    },
  };
}

function serve(
  socket: MediaNodeSocket,
  { deps, engine, nodes, ladders }: MediaContext,
  { invites, reconciler, facts }: { invites: Invites; reconciler: Reconciler; facts: FactIntake },
): void {
  const { log } = deps;
  const { nodeId, startedAt, capacity } = socket.data;
  const clock = new ArrivalClock(deps.now);
  nodes.add(nodeId, { socket, startedAt, capacity });
  engine.mediaConnected();
  log.info({ mediaNodeId: nodeId, startedAt }, 'media node connected');

  // Media repeats what is not acknowledged, so every failure here, including a missing ack function, is only logged.
  const failed = (what: string) => (error: unknown) => log.error({ err: error, mediaNodeId: nodeId }, what);

  socket.on('legs', (legs, ack) => {
    const list = legSummaries.safeParse(legs);
    if (!list.success) return failed('invalid list of legs')(list.error);
    reconciler
      .reconcile(nodeId, list.data)
      .then(() => ack({ ok: true }))
      .catch(failed('failed to reconcile legs'));
  });
  socket.on('invite', (question, ack) => {
    const request = inviteRequest.safeParse(storable(question));
    if (!request.success) return failed('invalid INVITE request')(request.error);
    invites
      .receive(request.data, { reply: ack, connected: () => socket.connected })
      .catch(failed('failed to decide on an INVITE'));
  });
  socket.on('fact', (message, ack) => {
    facts
      .process(nodeId, message, clock.arrival(sentOf(message)?.clockMs))
      .then((ok) => ack({ ok }))
      .catch(failed('failed to process a fact'));
  });
  socket.on('ladders', (messages, ack) => {
    const list = ladderMessages.safeParse(messages);
    // Media of a later version may send them differently, and repeating them would not help.
    if (!list.success) {
      failed('invalid SIP ladders')(list.error);
      ack({ ok: true });
      return;
    }
    ladders
      .store(list.data, clock.arrival(list.data[0]?.sent.clockMs))
      .then(() => ack({ ok: true }))
      .catch((error: unknown) => {
        failed('failed to store SIP ladders')(error);
        ack({ ok: false });
      });
  });
  socket.on('load', (load) => {
    const report = loadReport.safeParse(load);
    if (!report.success) return;
    // Reports arrive also when no call changes, so that the usual transit time is known.
    clock.arrival(report.data.clockMs);
    nodes.setLoad(nodeId, report.data);
  });
  socket.on('disconnect', (reason) => {
    nodes.remove(nodeId, socket);
    log.warn({ mediaNodeId: nodeId, reason }, 'media node disconnected');
  });
}
