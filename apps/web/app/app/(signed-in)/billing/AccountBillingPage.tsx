'use client';

import { Callout, Card, EmptyState, Page, Section, Skeleton, Stack, TextLink } from '@clarion/ui';
import { Landmark } from 'lucide-react';
import { AccountFigures } from '#lib/dashboard/billing/AccountFigures.tsx';
import { InvoiceDownload } from '#lib/dashboard/billing/InvoiceDownload.tsx';
import { InvoiceSection, useInvoicePage } from '#lib/dashboard/billing/InvoiceSection.tsx';
import { balanceInWords, balanceWarning } from '#lib/dashboard/billing/own-balance.ts';
import {
  BALANCE_POLL_MS,
  OWN_BILLING_PATH,
  OWN_INVOICES_PATH,
  OWN_TRANSACTIONS_PATH,
  type BillingAccount,
  type OwnBilling,
} from '#lib/dashboard/billing/resources.ts';
import { TransactionTable, useTransactionPage } from '#lib/dashboard/billing/TransactionTable.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { requestFile } from '#lib/dashboard/request.ts';

/** What the account owes the operator. Only the operator changes it, on the command line. */
export function AccountBillingPage() {
  const { data, error, refetch } = useGet(OWN_BILLING_PATH, {}, { refetchInterval: BALANCE_POLL_MS });
  return (
    <Page
      title="Account billing"
      description={
        <>
          Your prepaid balance with the operator, or what you owe.{' '}
          <TextLink href="/docs/guides/billing#your-own-account">How it works</TextLink>
        </>
      }
    >
      {error !== null ? (
        <ReadProblem what="The billing account" problem={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <Skeleton className="h-40" />
      ) : data.account === null ? (
        <NoAccount pricePlanId={data.pricePlanId} />
      ) : (
        <OpenAccount billing={data} account={data.account} />
      )}
    </Page>
  );
}

function NoAccount({ pricePlanId }: { pricePlanId: number | null }) {
  return (
    <Card flush>
      <EmptyState icon={<Landmark />} title="No billing account yet">
        The operator has not opened a billing account for you. Until it does, your usage is recorded but not
        charged to a balance.{' '}
        {pricePlanId === null ? (
          'You are not on a price plan of the operator.'
        ) : (
          <>
            You are on its price plan {pricePlanId}: <TextLink href="/app/prices/usage">Usage</TextLink> shows
            what calls cost you.
          </>
        )}
      </EmptyState>
    </Card>
  );
}

function OpenAccount({ billing, account }: { billing: OwnBilling; account: BillingAccount }) {
  const { pricePlanId, lowBalance } = billing;
  // Without a plan nothing is charged, so that an empty balance matters only if something is owed already.
  const warning = pricePlanId === null && !lowBalance ? null : balanceWarning(account, lowBalance);
  return (
    <Stack>
      <AccountFigures
        account={account}
        balanceHint={balanceInWords(account)}
        plan={pricePlanId === null ? 'None' : `Plan ${pricePlanId}`}
      />
      {warning !== null ? (
        <Callout title={warning.title}>{warning.advice}</Callout>
      ) : (
        pricePlanId === null && (
          <Callout title="No charges: you are not on a price plan">
            The operator charges your usage once it has put you on one of its price plans.
          </Callout>
        )
      )}
      <Invoices account={account} />
      <Section title="Transactions">
        <Transactions account={account} />
      </Section>
    </Stack>
  );
}

function Invoices({ account }: { account: BillingAccount }) {
  const page = useInvoicePage();
  const read = useGet(OWN_INVOICES_PATH, { query: page.query }, { keepPrevious: true });
  return (
    <InvoiceSection
      account={account}
      page={page}
      read={read}
      actionsOf={(invoice) => (
        <InvoiceDownload
          invoice={invoice}
          requestIn={(format) =>
            requestFile(`${OWN_INVOICES_PATH}/{invoiceId}/${format}`, { path: { invoiceId: invoice.id } })
          }
        />
      )}
    />
  );
}

/** Charges are not linked to their calls: a transaction does not name the tenant. */
function Transactions({ account }: { account: BillingAccount }) {
  const page = useTransactionPage();
  const read = useGet(
    OWN_TRANSACTIONS_PATH,
    { query: page.query },
    { keepPrevious: true, refetchInterval: BALANCE_POLL_MS },
  );
  return <TransactionTable account={account} page={page} read={read} />;
}
