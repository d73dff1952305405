'use client';

import { Badge, Button, DescriptionList, Notice, Skeleton, TextField } from '@clarion/ui';
import { useState } from 'react';
import { ReadProblem } from '../edit/ReadProblem.tsx';
import { SaveForm } from '../edit/SaveForm.tsx';
import { useMe } from '../me.tsx';
import { useChange, useGet } from '../queries.ts';
import {
  awaitedRequest,
  mayAsk,
  permissionLabel,
  requestLabel,
  unansweredWarning,
  type Permission,
} from './permission-labels.ts';

const PATH = '/v1/tenants/{tenantRef}/customers/whatsapp-permission';
/** How often the permission is read while a request is being sent, and while the customer has not answered it. */
const POLL_MS = { PENDING: 1_500, SENT: 5_000 };
/** WhatsApp's limit for the text of the message. */
const TEXT_MAX_CHARS = 1024;
const DEFAULT_TEXT = 'May we call you on WhatsApp?';

export interface CustomerPermissionProps {
  tenantRef: string;
  channelRef: string;
  /** A WhatsApp number or user ID. */
  address: string;
}

/** Whether a customer allows calls from a WhatsApp line, and a form that asks them. */
export function CustomerPermission({ tenantRef, channelRef, address }: CustomerPermissionProps) {
  const me = useMe();
  const [asking, setAsking] = useState(false);
  const [awaited, setAwaited] = useState<keyof typeof POLL_MS | null>(null);
  const query = { channel_ref: channelRef, address };
  const { data, error, refetch } = useGet(
    PATH,
    { path: { tenantRef }, query },
    { refetchInterval: awaited === null ? false : POLL_MS[awaited] },
  );
  const ask = useChange('POST', PATH, { invalidates: [PATH] });
  const permission = data?.permission;
  const next = permission === undefined ? null : awaitedRequest(permission);
  if (next !== awaited) setAwaited(next);

  if (error !== null) {
    return <ReadProblem what="The permission" problem={error} onRetry={() => void refetch()} />;
  }
  if (permission === undefined) return <Skeleton className="h-24!" />;
  return (
    <div className="flex flex-col gap-4" aria-live="polite">
      <Facts permission={permission} />
      {me.may('manage') && mayAsk(permission) && !asking && (
        <Button className="self-start" onClick={() => setAsking(true)}>
          Ask for permission
        </Button>
      )}
      {asking && (
        <SaveForm
          onSave={(values) =>
            ask.mutateAsync({
              path: { tenantRef },
              body: { channel_ref: channelRef, address, text: String(values.get('text')) },
            })
          }
          onSaved={() => setAsking(false)}
        >
          {(busy) => (
            <>
              <TextField
                name="text"
                label="Message"
                hint="WhatsApp adds the buttons with which the customer answers. It delivers the message only within 24 hours after the customer has written, once a day and twice a week."
                multiline
                required
                focusFirst
                maxLength={TEXT_MAX_CHARS}
                defaultValue={DEFAULT_TEXT}
              />
              <div className="flex gap-2">
                <Button tone="accent" type="submit" busy={busy}>
                  Send request
                </Button>
                <Button tone="plain" onClick={() => setAsking(false)}>
                  Cancel
                </Button>
              </div>
            </>
          )}
        </SaveForm>
      )}
    </div>
  );
}

function Facts({ permission }: { permission: Permission }) {
  const { title, detail, tone } = permissionLabel(permission);
  const request = requestLabel(permission);
  const warning = unansweredWarning(permission);
  const { address, userId } = permission.customer;
  return (
    <>
      <DescriptionList
        items={[
          { term: 'Permission', value: <Badge tone={tone}>{title}</Badge> },
          ...(userId !== null && userId !== address ? [{ term: 'WhatsApp user ID', value: userId }] : []),
        ]}
      />
      <p className="text-md text-pretty">{detail}</p>
      {warning !== null && <Notice tone="warning">{warning}</Notice>}
      {request !== null && <Notice tone={request.tone}>{request.detail}</Notice>}
    </>
  );
}
