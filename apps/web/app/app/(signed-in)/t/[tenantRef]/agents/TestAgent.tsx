'use client';

import { Button, ButtonLink, CopyButton, Notice } from '@clarion/ui';
import { KeyRound, Phone } from 'lucide-react';
import { problemMessage } from '#lib/dashboard/edit/error-messages.ts';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import type { Agent } from '#lib/dashboard/edit/resources.ts';

/** Long enough to paste it into an example and make a few calls. */
const TOKEN_MINUTES = 15;

/** Links and tokens for testing as this agent. */
export function TestAgent({ tenantRef, agent }: { tenantRef: string; agent: Agent }) {
  const issue = useChange('POST', '/v1/tenants/{tenantRef}/agents/{agentRef}/test-token');
  const token = issue.data?.testToken.token;
  return (
    <section aria-label="Test this agent" className="flex flex-col gap-2 border-t border-line pt-5">
      <h3 className="text-base font-semibold">Test this agent</h3>
      <p className="text-muted">
        Take calls as {agent.name} in this browser, or connect your own app with a token that is valid for{' '}
        {TOKEN_MINUTES} minutes. Both actions are recorded in the audit log.
      </p>
      <div className="flex flex-wrap gap-2">
        <ButtonLink
          size="sm"
          href={`${tenantHome(tenantRef)}/phone?agent=${encodeURIComponent(agent.ref)}`}
          icon={<Phone className="size-4" />}
        >
          Open phone
        </ButtonLink>
        {token === undefined ? (
          <Button
            size="sm"
            icon={<KeyRound className="size-4" />}
            busy={issue.isPending}
            onClick={() =>
              issue.mutate({ path: { tenantRef, agentRef: agent.ref }, body: { minutes: TOKEN_MINUTES } })
            }
          >
            Create token
          </Button>
        ) : (
          <CopyButton text={token} label="Copy token" />
        )}
      </div>
      {issue.error !== null && <Notice tone="negative">{problemMessage(issue.error)}</Notice>}
    </section>
  );
}
