'use client';

import { Button, DescriptionList, Notice, Section } from '@clarion/ui';
import { splitSources } from '#lib/dashboard/trunks/source-list.ts';
import type { CarrierTemplate, TrunkDraft } from '#lib/dashboard/trunks/trunk-draft.ts';
import { CARRIER, CONNECTION, INBOUND } from './new-trunk-steps.ts';

interface ReviewProps {
  draft: TrunkDraft;
  template: CarrierTemplate | null;
  onStep(step: number): void;
}

const authentications = {
  address: 'By our address',
  credentials: 'Username and password',
  register: 'Registration',
};

/** What is created, with a way back to each part. */
export function Review({ draft, template, onStep }: ReviewProps) {
  const follows = template !== null && draft.followTemplate;
  const sources = follows ? template.inboundSourceCidrs : splitSources(draft.sources);
  const edit = (step: number, what: string) => (
    <Button size="sm" onClick={() => onStep(step)}>
      Edit<span className="sr-only">{what}</span>
    </Button>
  );
  return (
    <>
      <Section title="Carrier" actions={edit(CARRIER, 'the carrier')}>
        <DescriptionList
          items={[
            { term: 'Name', value: <code className="font-mono">{draft.name}</code> },
            { term: 'Template', value: template?.name ?? 'Another carrier' },
          ]}
        />
      </Section>
      <Section title="Connection" actions={edit(CONNECTION, 'the connection')}>
        <DescriptionList
          items={[
            {
              term: 'Host',
              value: (
                <code className="font-mono">
                  {draft.host}:{draft.port} {draft.transport}
                </code>
              ),
            },
            { term: 'Authentication', value: authentications[draft.authentication] },
            ...(draft.authentication === 'address'
              ? []
              : [{ term: 'Username', value: <code className="font-mono">{draft.username}</code> }]),
          ]}
        />
      </Section>
      <Section title="Inbound calls" actions={edit(INBOUND, 'inbound calls')}>
        <DescriptionList
          items={[
            {
              term: 'Source addresses',
              value:
                sources.length === 0 ? null : (
                  <>
                    <code className="font-mono">{sources.join(', ')}</code>
                    {follows && ', as the template has them'}
                  </>
                ),
            },
            { term: 'Country code', value: draft.countryCode === '' ? null : `+${draft.countryCode}` },
            { term: 'National prefix', value: draft.nationalPrefix || null },
          ]}
        />
        {sources.length === 0 && (
          <Notice tone="warning" title="No source addresses yet">
            The trunk can be created without them, but not submitted: without them, it receives no calls.
          </Notice>
        )}
      </Section>
    </>
  );
}
