import type { MeResource } from '@clarion/protocol/v1/account/me';
import { audit, inTransaction } from '../context.ts';
import type { Ctx } from '../context.ts';
import { getMe } from '../session/get-me.ts';
import { selfOf } from './self.ts';

export async function renameMe(ctx: Ctx, { name }: { name: string }): Promise<{ me: MeResource }> {
  return inTransaction(ctx, async (inner) => {
    const { id, email } = await selfOf(inner);
    await inner.db.staffUser.update({ where: { id }, data: { name } });
    await audit(inner, { action: 'staff.change', target: email, details: { name } });
    return getMe(inner);
  });
}
