'use client';

import { CodeBlock, DescriptionList } from '@clarion/ui';
import type { Line, Trunk } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { trunkStatusTexts } from '#lib/dashboard/trunks/trunk-status.ts';
import { recordingLabel } from './line-draft.ts';
import { PermissionLookup } from './PermissionLookup.tsx';
import { WhatsAppConnection } from './WhatsAppConnection.tsx';
import type { LineResources } from './use-line-resources.ts';

/** The demo account that `npm start` creates. */
const DEMO_SLUG = 'demo';
/** Its line that the simulator of WhatsApp calls. */
const DEMO_WHATSAPP_REF = 'whatsapp';

const trunkText = ({ name, status }: Trunk) => `${name}, ${trunkStatusTexts[status].label.toLowerCase()}`;

interface LineSummaryProps {
  tenantRef: string;
  line: Line;
  around: LineResources;
}

export function LineSummary({ tenantRef, line, around }: LineSummaryProps) {
  const me = useMe();
  const trunk = around.trunks.find(({ id }) => id === line.sipTrunkId);
  const backup = around.trunks.find(({ id }) => id === line.backupSipTrunkId);
  return (
    <div className="flex flex-col gap-4">
      <DescriptionList
        items={[
          {
            term: 'Test the line',
            value: <span className="tabular-nums">{line.address}</span>,
            copy: line.address,
          },
          ...(trunk
            ? [
                { term: 'Trunk', value: trunkText(trunk) },
                ...(backup ? [{ term: 'Backup trunk', value: trunkText(backup) }] : []),
              ]
            : [
                {
                  term: 'WhatsApp',
                  value: line.hasCredentials ? 'Access token stored' : 'No access token yet',
                },
                {
                  term: 'Phone number ID',
                  value: <code className="font-mono">{line.providerAccountId}</code>,
                  ...(line.providerAccountId !== null && { copy: line.providerAccountId }),
                },
              ]),
          { term: 'Recording', value: recordingLabel(line) },
          { term: 'Ref', value: <code className="font-mono">{line.ref}</code>, copy: line.ref },
        ]}
      />
      {me.consumer.slug === DEMO_SLUG && (line.type === 'SIP' || line.ref === DEMO_WHATSAPP_REF) && (
        <div className="flex flex-col gap-1.5">
          <p className="text-muted">
            No phone at hand? Call the line from the machine that runs the service:
          </p>
          <CodeBlock
            language="Terminal"
            text={`npm run call -- ${line.type === 'SIP' ? line.address : '--whatsapp'}`}
          />
        </div>
      )}
      {line.type === 'WHATSAPP' && (
        <>
          <WhatsAppConnection tenantRef={tenantRef} channelRef={line.ref} />
          <PermissionLookup tenantRef={tenantRef} channelRef={line.ref} />
        </>
      )}
    </div>
  );
}
