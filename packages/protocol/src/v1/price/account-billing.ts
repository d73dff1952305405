/** A consumer's own billing account with the operator, who opens and changes it. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id } from '../fields/fields.ts';
import {
  billingAccountResource,
  listTransactionsQuery,
  lowBalance,
  transactionPage,
} from './tenant-billing.ts';

const path = '/v1/billing';

const accountBilling = z.strictObject({
  pricePlanId: id.nullable().describe('The price plan of the operator that you pay; null if there is none.'),
  account: billingAccountResource
    .nullable()
    .describe('Null until the operator opens an account. A negative balance is what you owe.'),
  lowBalance,
});
export type AccountBilling = z.infer<typeof accountBilling>;

export const accountBillingEndpoints = {
  getBilling: defineEndpoint({
    method: 'GET',
    path,
    summary:
      'Returns what your account pays the operator: its price plan and billing account. account is null until the operator opens one.',
    answer: { status: 200, body: accountBilling },
    errors: [],
    role: 'own',
    oneTenantSession: false,
    example: {
      answer: {
        pricePlanId: 3,
        account: {
          mode: 'POSTPAID',
          status: 'ACTIVE',
          currency: 'USD',
          balance: '-182.4',
          reserved: '0.012',
          creditLimit: '1000',
          invoiceDueDays: 15,
          createdAt: '2026-01-05T09:00:00.000Z',
          updatedAt: '2026-01-31T17:20:41.000Z',
        },
        lowBalance: false,
      },
    },
  }),
  listBillingTransactions: defineEndpoint({
    method: 'GET',
    path: `${path}/transactions`,
    summary:
      'Lists the transactions of your own billing account, newest first. Returns 404 until the operator opens one.',
    query: listTransactionsQuery,
    answer: { status: 200, body: transactionPage },
    errors: ['not_found'],
    role: 'own',
    oneTenantSession: false,
    example: {
      query: 'page=1&limit=50',
      answer: {
        transactions: [
          {
            id: 9104,
            kind: 'ADJUSTMENT',
            amount: '-182.4',
            balanceAfter: '-182.4',
            description: 'set-up of two SIP trunks',
            callId: null,
            invoiceId: null,
            createdAt: '2026-01-31T17:20:41.000Z',
          },
        ],
        page: 1,
        limit: 50,
        total: 1,
      },
    },
  }),
};
