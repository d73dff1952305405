/**
 * Sends the message that asks a customer to allow calls, at most once: a run that was interrupted while sending ends as failed, because a
 * repetition could ask the customer twice. Meta's own record of the permission is read first, which costs no message.
 */
import { Prisma } from '@clarion/db';
import type { Database } from '@clarion/db';
import { transact } from '../announce-deliveries.ts';
import type { SecretBox } from '../security/secret-box.ts';
import { messageOfGraphError, messageOfSilence } from '../whatsapp-graph/graph-errors.ts';
import type { GraphClient, GraphResult } from './graph-client.ts';
import { graphLineOf } from './graph-line.ts';
import { recordPermission } from './permission-ledger.ts';
import type { LedgerLine } from './permission-ledger.ts';

export interface PermissionRequestContext {
  db: Database;
  secrets: SecretBox;
  graph: GraphClient;
  now: () => Date;
}

interface Failure {
  providerCode: number | null;
  message: string;
}

/** Meta's codes for what its record shows without sending: see graph-errors.ts. */
const ALREADY_PERMANENT = 138017;
const REQUESTED_TOO_OFTEN = 138009;

const withLine = {
  channel: { include: { tenant: { select: { id: true, ref: true, consumerId: true } } } },
} satisfies Prisma.WhatsAppPermissionInclude;
type RowWithLine = Prisma.WhatsAppPermissionGetPayload<{ include: typeof withLine }>;

export async function sendPermissionRequest(
  ctx: PermissionRequestContext,
  { permissionId, text }: { permissionId: number; text: string },
): Promise<void> {
  const { db } = ctx;
  const row = await db.whatsAppPermission.findUnique({ where: { id: permissionId }, include: withLine });
  if (row?.requestStatus === 'SENDING') {
    await finish(db, row, {
      providerCode: null,
      message:
        'The request was interrupted, so it is not known whether WhatsApp sent it. It is not repeated.',
    });
  }
  if (row?.requestStatus !== 'PENDING') return;
  const result = await send(ctx, row, text);
  if (result !== 'superseded') await finish(db, row, result);
}

/** Null: sent. superseded: another run sends it. */
async function send(
  ctx: PermissionRequestContext,
  row: RowWithLine,
  text: string,
): Promise<Failure | null | 'superseded'> {
  const line = graphLineOf(ctx.secrets, row.channel);
  if (line === null) return { providerCode: null, message: 'The line has no access token.' };
  const current = await ctx.graph.readPermission(line, row.customerAddress);
  if (current.kind === 'ok') {
    const permission = current.value;
    await recordRead(ctx, row, { kind: 'read', at: ctx.now(), permission });
    if (permission.status === 'permanent') return refused(ALREADY_PERMANENT);
    if (permission.canRequest === false) return refused(REQUESTED_TOO_OFTEN);
  }
  const claimed = await ctx.db.whatsAppPermission.updateMany({
    where: { ...thisRequest(row), requestStatus: 'PENDING' },
    data: { requestStatus: 'SENDING' },
  });
  if (claimed.count === 0) return 'superseded';
  return failureOf(await ctx.graph.requestPermission(line, row.customerAddress, text));
}

const refused = (code: number): Failure => ({
  providerCode: code,
  message: messageOfGraphError({ code, subcode: null, message: '', details: null }),
});

async function recordRead(
  { db, now }: PermissionRequestContext,
  { channel, customerAddress, userId }: RowWithLine,
  event: Parameters<typeof recordPermission>[3],
): Promise<void> {
  const line: LedgerLine = { id: channel.id, ref: channel.ref, tenant: channel.tenant };
  await transact(db, (tx) => recordPermission(tx, line, { address: customerAddress, userId }, event, now()));
}

function failureOf(result: GraphResult<unknown>): Failure | null {
  switch (result.kind) {
    case 'ok':
      return null;
    case 'refused':
      return { providerCode: result.error.code, message: messageOfGraphError(result.error) };
    case 'silent':
      return { providerCode: null, message: messageOfSilence(result.silence) };
  }
}

/** A newer request changes the time, so that the end of an earlier one does not affect it. */
const thisRequest = ({ id, requestedAt }: Pick<RowWithLine, 'id' | 'requestedAt'>) => ({ id, requestedAt });

async function finish(
  db: Database,
  row: Pick<RowWithLine, 'id' | 'requestedAt'>,
  failure: Failure | null,
): Promise<void> {
  await db.whatsAppPermission.updateMany({
    where: {
      ...thisRequest(row),
      requestStatus: failure === null ? 'SENDING' : { in: ['PENDING', 'SENDING'] },
    },
    data: {
      requestStatus: failure === null ? 'SENT' : 'FAILED',
      requestFailure: failure === null ? Prisma.DbNull : { ...failure },
    },
  });
}
