'use client';

import { ButtonLink, Card, ComboField, EmptyState, Notice, Page, Skeleton } from '@clarion/ui';
import { Headphones, Phone } from 'lucide-react';
import nextDynamic from 'next/dynamic.js';
import { agentStateLabel } from '#lib/dashboard/edit/AgentState.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { usePhoneOf } from '#lib/dashboard/use-phone-of.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

/** Contains audio and sockets, so it is loaded when a phone is opened. */
const Connected = nextDynamic(async () => (await import('@clarion/phone')).ClarionPhone, {
  ssr: false,
  loading: () => <Skeleton className="h-full" />,
});

/** The phone of one of the tenant's agents in this browser, for testing. */
export function PhonePage({ tenantRef }: { tenantRef: string }) {
  const url = useUrlState();
  const { data, error, refetch } = useGet('/v1/tenants/{tenantRef}/agents', { path: { tenantRef } });
  const agents = data?.agents;
  const agent = agents?.find(({ ref }) => ref === url.get('agent'));
  if (error !== null) {
    return (
      <Page title="Agent phone">
        <ReadProblem what="The agents" problem={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  return (
    <Page
      title="Agent phone"
      width="narrow"
      description="Take real calls in this browser as one of your agents. Your product embeds the same phone."
    >
      {agents?.length === 0 ? (
        <Card flush>
          <EmptyState
            icon={<Headphones />}
            title="No agents yet"
            action={
              <ButtonLink tone="accent" href={`${tenantHome(tenantRef)}/agents?new=1`}>
                Add an agent
              </ButtonLink>
            }
          >
            Add an agent to open their phone here.
          </EmptyState>
        </Card>
      ) : (
        <ComboField
          label="Agent"
          placeholder="Choose an agent"
          choices={(agents ?? []).map((one) => ({
            value: one.ref,
            label: one.name,
            note: `${one.ref}, ${agentStateLabel(one).label.toLowerCase()}`,
          }))}
          value={agent?.ref ?? null}
          onValueChange={(ref) => url.set({ agent: ref })}
        />
      )}
      {agent === undefined ? (
        (agents?.length ?? 0) > 0 && (
          <Card flush>
            <EmptyState icon={<Phone />} title="Choose an agent">
              The agent’s phone opens here. It asks for your microphone on the first call.
            </EmptyState>
          </Card>
        )
      ) : (
        <>
          {agent.connected && (
            <Notice tone="warning" title={`${agent.name} is also signed in elsewhere`}>
              Calls ring on all of their devices. The first device to answer gets the call.
            </Notice>
          )}
          <PhoneOf key={agent.ref} tenantRef={tenantRef} agentRef={agent.ref} />
        </>
      )}
    </Page>
  );
}

function PhoneOf({ tenantRef, agentRef }: { tenantRef: string; agentRef: string }) {
  const { getToken, createCall } = usePhoneOf(tenantRef, agentRef);
  return (
    <div className="h-[42rem] max-h-[85dvh] overflow-hidden rounded-card border border-line">
      <Connected getToken={getToken} createCall={createCall} />
    </div>
  );
}
