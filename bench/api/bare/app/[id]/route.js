/** The baseline for the API: a bare handler that reads or writes one row by its primary key. */
import { createDatabase } from '@clarion/db';
import { databaseUrl } from '../../env.js';

export const dynamic = 'force-dynamic';

const db = (globalThis.bareDatabase ??= createDatabase(databaseUrl()));

export async function GET(_request, { params }) {
  const { id } = await params;
  return Response.json(await db.tenant.findUnique({ where: { id: Number(id) } }));
}

export async function PUT(request, { params }) {
  const { id } = await params;
  const { name } = await request.json();
  return Response.json(await db.tenant.update({ where: { id: Number(id) }, data: { name } }));
}
