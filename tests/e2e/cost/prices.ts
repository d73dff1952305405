/** Prices for the calls of a tenant, so that what pricing costs is counted, too. */
import type { TestStack } from '@clarion/testkit/stack/stack';

interface Usage {
  usage: { kind: string; tenantCharges: { amount: string; currency: string }[] }[];
}

/** Every call is priced by an entry of a rate deck, and charged to the tenant's account. */
export async function setPrices(t: TestStack): Promise<void> {
  const { deck } = await t.v1.ok<{ deck: { id: number } }>('POST', '/v1/rate-decks', { name: 'Retail' });
  for (let digit = 1; digit <= 9; digit += 1)
    await t.v1.ok('POST', `/v1/rate-decks/${deck.id}/entries`, { prefix: String(digit), rate: '0.06' });
  const items = [{ kind: 'CALL', method: 'DECK', deck_id: deck.id }];
  const { plan } = await t.v1.ok<{ plan: { id: number } }>('POST', '/v1/price-plans', {
    name: 'Standard',
    items,
  });
  await t.v1.ok('PUT', '/v1/tenants/shop/price-plan', { price_plan_id: plan.id });
  await t.v1.ok('PUT', '/v1/tenants/shop/billing-account', { mode: 'POSTPAID' });
}

/** What the tenant's account owes. */
export async function owed(t: TestStack): Promise<string> {
  const { account } = await t.v1.ok<{ account: { balance: string } }>('GET', '/v1/tenants/shop/billing');
  return account.balance.replace('-', '');
}

/** What the tenant was charged for its calls of the last days, newest first; null: nothing. */
export async function charges(t: TestStack): Promise<(string | null)[]> {
  const { usage } = await t.v1.ok<Usage>('GET', '/v1/usage?limit=100');
  return usage
    .filter(({ kind }) => kind === 'CALL')
    .map(({ tenantCharges: [charge] }) => charge?.amount ?? null);
}
