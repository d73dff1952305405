'use client';

import { Button, EmptyState, Section, Skeleton, TextLink, useToasts } from '@clarion/ui';
import { SipLadder } from '@clarion/ui/ladder';
import { Download, ListTree } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import { saveBlob } from '#lib/dashboard/csv.ts';
import { requestFile, RequestProblem } from '#lib/dashboard/request.ts';
import { LADDER_PATH, useLadder } from './use-ladder.ts';

const formats = [
  { format: 'text', label: 'Text' },
  { format: 'json', label: 'JSON' },
  { format: 'pcap', label: 'PCAP' },
] as const;
type Format = (typeof formats)[number]['format'];

/** The SIP ladder of an ended call, read when it is asked for: most readers of a call do not need it. */
export function CallLadder({ callId, endedAt }: { callId: number; endedAt: string }) {
  const [shown, setShown] = useState(false);
  return shown ? (
    <ShownLadder callId={callId} endedAt={endedAt} />
  ) : (
    <LadderSection>
      <Button icon={<ListTree className="size-4" aria-hidden />} onClick={() => setShown(true)}>
        Show the SIP ladder
      </Button>
    </LadderSection>
  );
}

function LadderSection({ children, actions }: { children: ReactNode; actions?: ReactNode }) {
  return (
    <Section
      title="SIP ladder"
      description={
        <>
          What the parties of this call sent to one another, and what happened to its audio. Press a line to
          read the message. See <TextLink href="/docs/guides/calls#sip-ladder">the guide</TextLink>.
        </>
      }
      {...(actions !== undefined && { actions })}
    >
      {children}
    </Section>
  );
}

function ShownLadder({ callId, endedAt }: { callId: number; endedAt: string }) {
  const { data, error, isPending, refetch } = useLadder(callId, endedAt);
  const isMissing = error?.status === 404;
  return (
    <LadderSection {...(data !== undefined && { actions: <Downloads callId={callId} /> })}>
      {data !== undefined ? (
        <SipLadder {...data.ladder} />
      ) : isPending ? (
        <Skeleton className="h-96!" />
      ) : isMissing ? (
        <EmptyState icon={<ListTree />} title="No SIP ladder">
          Ladders are stored shortly after the end of a call and kept for 7 days.
        </EmptyState>
      ) : (
        error !== null && <ReadProblem what="The SIP ladder" problem={error} onRetry={() => void refetch()} />
      )}
    </LadderSection>
  );
}

function Downloads({ callId }: { callId: number }) {
  const toasts = useToasts();
  const [busy, setBusy] = useState<Format | null>(null);

  async function save(format: Format) {
    setBusy(format);
    try {
      const { name, content } = await requestFile(LADDER_PATH, { path: { callId }, query: { format } });
      saveBlob(format === 'json' ? `call-${callId}-ladder.json` : name, content);
    } catch (error) {
      const description = error instanceof RequestProblem ? error.message : 'The file could not be created.';
      toasts.add({ title: 'The download failed', description, tone: 'negative' });
    } finally {
      setBusy(null);
    }
  }

  return formats.map(({ format, label }) => (
    <Button
      key={format}
      size="sm"
      icon={<Download className="size-4" aria-hidden />}
      busy={busy === format}
      aria-label={`Download as ${label}`}
      onClick={() => void save(format)}
    >
      {label}
    </Button>
  ));
}
