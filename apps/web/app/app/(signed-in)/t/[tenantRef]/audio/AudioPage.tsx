'use client';

import {
  Badge,
  Button,
  DateTime,
  Duration,
  EmptyState,
  formatBytes,
  Page,
  Table,
  type Column,
  onDemand,
  whenOpen,
} from '@clarion/ui';
import { AudioLines, Mic, Upload } from 'lucide-react';
import { usesOf, type SoundUse } from '#lib/dashboard/audio/used-by.ts';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { AudioAsset } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { useGet } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';

const RecordAudio = onDemand(
  async () => (await import('./RecordAudio.tsx')).RecordAudio,
  () => null,
);
const UploadAudio = onDemand(
  async () => (await import('./UploadAudio.tsx')).UploadAudio,
  () => null,
);
const AudioDrawer = whenOpen(
  async () => (await import('./AudioDrawer.tsx')).AudioDrawer,
  ({ sound }) => sound !== null,
);

/** The audio assets of a tenant. */
export function AudioPage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const path = { tenantRef };
  const { data, error, refetch } = useGet('/v1/tenants/{tenantRef}/audio-assets', { path });
  const queues = useGet('/v1/tenants/{tenantRef}/queues', { path }).data?.queues ?? [];
  const flows = useGet('/v1/tenants/{tenantRef}/ivr-flows', { path }).data?.ivrFlows ?? [];
  const uses = usesOf(queues, flows);
  const sounds = data?.audioAssets.toReversed();
  const open = sounds?.find(({ id }) => String(id) === url.get('sound'));
  const making = url.get('new');
  const close = () => url.set({ new: null });
  const buttons = me.may('manage') && (
    <>
      <Button icon={<Mic className="size-4" aria-hidden />} onClick={() => url.set({ new: 'record' })}>
        Record
      </Button>
      <Button
        tone="accent"
        icon={<Upload className="size-4" aria-hidden />}
        onClick={() => url.set({ new: 'upload' })}
      >
        Upload
      </Button>
    </>
  );
  return (
    <Page title="Audio" description="Greetings, menus and hold audio for your callers." actions={buttons}>
      {error !== null ? (
        <ReadProblem what="The audio files" problem={error} onRetry={() => void refetch()} />
      ) : (
        <Table
          label="Audio files"
          columns={columns(uses)}
          rows={sounds}
          rowKey={({ id }) => id}
          onRowOpen={({ id }) => url.set({ sound: String(id) })}
          current={open?.id ?? null}
          stacked
          empty={
            <EmptyState
              icon={<AudioLines />}
              title="No audio yet"
              action={buttons && <div className="flex flex-wrap justify-center gap-2">{buttons}</div>}
            >
              Upload or record audio here. Then use it in an IVR flow or as the hold audio of a queue.
            </EmptyState>
          }
        />
      )}
      <AudioDrawer
        tenantRef={tenantRef}
        sound={open ?? null}
        uses={open ? (uses.get(open.id) ?? []) : []}
        onClose={() => url.set({ sound: null })}
      />
      {making === 'upload' && <UploadAudio tenantRef={tenantRef} onClose={close} />}
      {making === 'record' && <RecordAudio tenantRef={tenantRef} onClose={close} />}
    </Page>
  );
}

const kinds: Record<AudioAsset['mimeType'], string> = {
  'audio/wav': 'WAV',
  'audio/mpeg': 'MP3',
  'audio/ogg': 'Ogg',
};

const columns = (uses: ReadonlyMap<number, SoundUse[]>): Column<AudioAsset>[] => [
  { key: 'name', header: 'Name', cell: ({ name }) => <span className="font-medium text-ink">{name}</span> },
  {
    key: 'length',
    header: 'Length',
    align: 'end',
    cell: ({ durationSeconds }) => <Duration seconds={durationSeconds} clock />,
  },
  {
    key: 'size',
    header: 'Size',
    align: 'end',
    nowrap: true,
    cell: ({ sizeBytes, mimeType }) => `${formatBytes(sizeBytes)} ${kinds[mimeType]}`,
  },
  { key: 'uses', header: 'Used by', cell: ({ id }) => <Uses uses={uses.get(id) ?? []} /> },
  {
    key: 'added',
    header: 'Added',
    align: 'end',
    hideBelow: 'md',
    cell: ({ createdAt }) => <DateTime at={createdAt} />,
  },
];

function Uses({ uses }: { uses: readonly SoundUse[] }) {
  if (uses.length === 0) return <span className="text-muted">Not used</span>;
  return (
    <span className="flex flex-wrap gap-1 max-sm:justify-end">
      {uses.map(({ kind, ref, name }) => (
        <Badge key={`${kind}:${ref}`}>{`${kind === 'queue' ? 'Queue' : 'Flow'} ${name}`}</Badge>
      ))}
    </span>
  );
}
