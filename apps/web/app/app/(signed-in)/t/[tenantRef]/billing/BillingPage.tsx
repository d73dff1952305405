'use client';

import { Button, Callout, Card, EmptyState, Page, Section, Skeleton, Stack, TextLink } from '@clarion/ui';
import { Wallet } from 'lucide-react';
import { useState } from 'react';
import { AccountFigures } from '#lib/dashboard/billing/AccountFigures.tsx';
import type { BillingAccount, TenantBilling } from '#lib/dashboard/billing/resources.ts';
import { BALANCE_POLL_MS, BILLING_PATH } from '#lib/dashboard/billing/resources.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { AccountDrawer } from './AccountDrawer.tsx';
import { Adjust } from './Adjust.tsx';
import { Invoices } from './Invoices.tsx';
import { TopUp } from './TopUp.tsx';
import { Transactions } from './Transactions.tsx';

type Open = 'account' | 'top-up' | 'adjustment' | null;

/** The billing account of a tenant. Owners change it; people launched into the tenant read it. */
export function BillingPage({ tenantRef }: { tenantRef: string }) {
  const mayChange = useMe().may('own');
  const [open, setOpen] = useState<Open>(null);
  const { data, error, refetch } = useGet(
    BILLING_PATH,
    { path: { tenantRef } },
    { refetchInterval: BALANCE_POLL_MS },
  );
  const plans = useGet('/v1/price-plans', {}, { enabled: mayChange });
  const account = data?.account ?? null;
  const plan = plans.data?.plans.find(({ id }) => id === data?.pricePlanId) ?? null;
  const close = () => setOpen(null);
  return (
    <Page
      title="Billing"
      description={
        <>
          What the tenant has paid in advance, or owes.{' '}
          <TextLink href="/docs/guides/billing#billing-accounts">How billing accounts work</TextLink>
        </>
      }
      actions={mayChange && account !== null && <Actions account={account} onOpen={setOpen} />}
    >
      {error !== null ? (
        <ReadProblem what="The billing account" problem={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-40" />
      ) : account === null ? (
        <NoAccount mayChange={mayChange} onOpen={() => setOpen('account')} />
      ) : (
        <OpenAccount billing={data} account={account} planName={plan?.name ?? null} mayChange={mayChange} />
      )}
      {mayChange && data !== undefined && !plans.isPending && (
        <AccountDrawer
          tenantRef={tenantRef}
          account={account}
          plan={plan}
          open={open === 'account'}
          onClose={close}
        />
      )}
      {mayChange && account !== null && (
        <>
          <TopUp tenantRef={tenantRef} account={account} open={open === 'top-up'} onClose={close} />
          <Adjust tenantRef={tenantRef} account={account} open={open === 'adjustment'} onClose={close} />
        </>
      )}
    </Page>
  );
}

function Actions({ account, onOpen }: { account: BillingAccount; onOpen(what: Open): void }) {
  return (
    <>
      <Button onClick={() => onOpen('account')}>Edit account</Button>
      <Button onClick={() => onOpen('adjustment')}>Adjust balance</Button>
      {account.mode === 'PREPAID' && (
        <Button tone="accent" onClick={() => onOpen('top-up')}>
          Top up
        </Button>
      )}
    </>
  );
}

function NoAccount({ mayChange, onOpen }: { mayChange: boolean; onOpen(): void }) {
  if (!mayChange) {
    return (
      <Card flush>
        <EmptyState icon={<Wallet />} title="No billing account">
          No billing account has been opened for you. Once there is one, its balance and transactions are
          shown here.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card flush>
      <EmptyState
        icon={<Wallet />}
        title="No billing account yet"
        action={
          <Button tone="accent" onClick={onOpen}>
            Open account
          </Button>
        }
      >
        A billing account holds the balance of the tenant: what it has paid in advance, or what it owes you.
      </EmptyState>
    </Card>
  );
}

interface OpenAccountProps {
  billing: TenantBilling;
  account: BillingAccount;
  planName: string | null;
  mayChange: boolean;
}

function OpenAccount({ billing, account, planName, mayChange }: OpenAccountProps) {
  const { tenantRef, pricePlanId } = billing;
  return (
    <Stack>
      <AccountFigures
        account={account}
        balanceHint={account.balance.startsWith('-') ? 'Owed by the tenant' : null}
        {...(mayChange && {
          plan:
            pricePlanId === null ? (
              'None'
            ) : (
              <TextLink href={`/app/prices/plans/${pricePlanId}`}>
                {planName ?? `Plan ${pricePlanId}`}
              </TextLink>
            ),
        })}
      />
      <BalanceNotice billing={billing} account={account} mayChange={mayChange} />
      {account.status !== 'ACTIVE' && <Blocked status={account.status} mayChange={mayChange} />}
      <Invoices tenantRef={tenantRef} account={account} mayChange={mayChange} />
      <Section title="Transactions">
        <Transactions tenantRef={tenantRef} account={account} />
      </Section>
    </Stack>
  );
}

/** What to know about the balance; nothing if all is well. */
function BalanceNotice({ billing, account, mayChange }: Omit<OpenAccountProps, 'planName'>) {
  const { mode, balance } = account;
  if (billing.pricePlanId === null) {
    return (
      mayChange && (
        <Callout title="No charges: this tenant has no price plan">
          Put it on a price plan under <TextLink href="/app/tenants">Tenants</TextLink> to charge calls,
          recordings and daily fees to this account.
        </Callout>
      )
    );
  }
  if (mode === 'PREPAID' && (balance === '0' || balance.startsWith('-'))) {
    return (
      <Callout title="Calls are refused: the balance is used up">
        {mayChange
          ? 'Top up the account. Only inbound calls without a price go on.'
          : 'They work again once the account has been topped up. Only inbound calls without a price go on.'}
      </Callout>
    );
  }
  if (!billing.lowBalance) return null;
  return mode === 'PREPAID' ? (
    <Callout title="The balance is low: less than 10 % of the last top-up is left">
      Calls end when it is used up.
    </Callout>
  ) : (
    <Callout title="More than 90 % of the credit limit is used">Calls end when the limit is reached.</Callout>
  );
}

function Blocked({ status, mayChange }: { status: BillingAccount['status']; mayChange: boolean }) {
  return (
    <Callout
      title={
        status === 'SUSPENDED'
          ? 'The account is suspended'
          : 'Outbound calls are refused: an invoice is overdue'
      }
    >
      {mayChange
        ? 'The account works again at once when its overdue invoices are marked as paid.'
        : 'The account works again once the overdue invoices are paid.'}
    </Callout>
  );
}
