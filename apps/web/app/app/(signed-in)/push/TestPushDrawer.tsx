'use client';

import { Button, ComboField, Drawer, Form, Notice, SelectField } from '@clarion/ui';
import { credentialsOfToken } from '@clarion/protocol/push-reasons';
import { Send } from 'lucide-react';
import { useState } from 'react';
import { useLast } from '#lib/dashboard/edit/use-last.ts';
import { useSave } from '#lib/dashboard/edit/use-save.ts';
import { useChange, useGet } from '#lib/dashboard/queries.ts';
import { platformNames } from '#lib/dashboard/push/device-names.ts';
import type { Answer } from '#lib/dashboard/request.ts';
import { providers, type Provider } from './providers.tsx';

const PATH = '/v1/push-credentials/{provider}/test';
const TOKENS_PATH = '/v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens';
type Result = Answer<'POST', typeof PATH>['result'];

/** Sends a test push and shows what the provider answered. */
export function TestPushDrawer({ provider, onClose }: { provider: Provider | null; onClose(): void }) {
  const shown = useLast(provider);
  const name = providers.find((one) => one.provider === shown)?.name;
  if (shown === null || name === undefined) return null;
  return (
    <Drawer
      open={provider !== null}
      onOpenChange={(open) => !open && onClose()}
      size="sm"
      title={`Test ${name}`}
      description={
        shown === 'apns'
          ? 'Checks with Apple whether the key is valid for the app. No device is notified.'
          : 'Sends a test push to one device and shows the response of the provider. The app must have registered the device.'
      }
    >
      {provider !== null && <TestForm key={provider} provider={provider} />}
    </Drawer>
  );
}

function TestForm({ provider }: { provider: Provider }) {
  const { formId, errors, busy, save } = useSave();
  const [target, setTarget] = useState<Target>({ tenantRef: null, agentRef: null, deviceId: null });
  const [result, setResult] = useState<Result | null>(null);
  const test = useChange('POST', PATH, { invalidates: [TOKENS_PATH] });
  const send = async () => {
    setResult(null);
    const { tenantRef, agentRef, deviceId } = target;
    const answer = await test.mutateAsync({
      path: { provider },
      body: provider === 'apns' ? {} : { tenant_ref: tenantRef, agent_ref: agentRef, device_id: deviceId },
    });
    setResult(answer.result);
  };
  return (
    <Form id={formId} errors={errors} busy={busy} onSubmit={() => void save(send)}>
      {provider !== 'apns' && <TargetFields provider={provider} target={target} onChange={setTarget} />}
      <div>
        <Button tone="accent" type="submit" busy={busy} icon={<Send className="size-4" aria-hidden />}>
          Send test push
        </Button>
      </div>
      {result !== null && <ResultNotice result={result} />}
    </Form>
  );
}

interface Target {
  tenantRef: string | null;
  agentRef: string | null;
  deviceId: string | null;
}

interface TargetProps {
  provider: Provider;
  target: Target;
  onChange(target: Target): void;
}

function TargetFields({ provider, target: { tenantRef, agentRef, deviceId }, onChange }: TargetProps) {
  const tenants = useGet('/v1/tenants', {}).data?.tenants;
  const agents = useGet(
    '/v1/tenants/{tenantRef}/agents',
    { path: { tenantRef: tenantRef ?? '' } },
    { enabled: tenantRef !== null },
  ).data?.agents;
  const tokens = useGet(
    TOKENS_PATH,
    { path: { tenantRef: tenantRef ?? '', agentRef: agentRef ?? '' } },
    { enabled: tenantRef !== null && agentRef !== null },
  ).data?.pushTokens.filter((token) => credentialsOfToken[token.provider] === provider);
  return (
    <>
      <ComboField
        name="tenant_ref"
        label="Tenant"
        required
        choices={(tenants ?? []).map(({ ref, name }) => ({ value: ref, label: name }))}
        busy={tenants === undefined}
        value={tenantRef}
        onValueChange={(value) => onChange({ tenantRef: value, agentRef: null, deviceId: null })}
      />
      <ComboField
        name="agent_ref"
        label="Agent"
        required
        disabled={tenantRef === null}
        choices={(agents ?? []).map(({ ref, name }) => ({ value: ref, label: name }))}
        busy={tenantRef !== null && agents === undefined}
        value={agentRef}
        onValueChange={(value) => onChange({ tenantRef, agentRef: value, deviceId: null })}
      />
      {tokens?.length === 0 ? (
        <Notice tone="warning" title="No device of this agent is registered with this provider">
          The app registers its push token when the agent signs in.
        </Notice>
      ) : (
        <SelectField
          name="device_id"
          label="Device"
          required
          disabled={tokens === undefined}
          choices={(tokens ?? []).map((token) => ({
            value: token.deviceId,
            label: token.deviceId,
            note: token.rejectedAt === null ? platformNames[token.platform] : 'No longer valid',
          }))}
          value={deviceId}
          onValueChange={(value) => onChange({ tenantRef, agentRef, deviceId: value })}
        />
      )}
    </>
  );
}

const RESULTS: Record<Result['outcome'], { tone: 'positive' | 'warning' | 'negative'; title: string }> = {
  SENT: { tone: 'positive', title: 'Accepted' },
  REJECTED: { tone: 'warning', title: 'The token is no longer valid' },
  RETRY: { tone: 'warning', title: 'No definite response' },
  FAILED: { tone: 'negative', title: 'Not accepted' },
};

function ResultNotice({ result: { outcome, httpStatus, reason, message } }: { result: Result }) {
  const { tone, title } = RESULTS[outcome];
  const facts =
    reason === null
      ? []
      : [httpStatus === null ? null : `HTTP ${httpStatus}`, reason].filter((fact) => fact !== null);
  return (
    <Notice tone={tone} title={title}>
      {message}
      {facts.length > 0 && <span className="block font-mono text-sm text-muted">{facts.join(' · ')}</span>}
    </Notice>
  );
}
