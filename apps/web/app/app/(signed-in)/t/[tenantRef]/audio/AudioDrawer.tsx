'use client';

import {
  Button,
  DateTime,
  DescriptionList,
  Drawer,
  Duration,
  formatBytes,
  Notice,
  Skeleton,
  Stack,
  TextLink,
  useToasts,
} from '@clarion/ui';
import { Trash2 } from 'lucide-react';
import dynamic from 'next/dynamic.js';
import { useState } from 'react';
import type { SoundUse } from '#lib/dashboard/audio/used-by.ts';
import { ConfirmAction } from '#lib/dashboard/edit/ConfirmAction.tsx';
import { ReadProblem } from '#lib/dashboard/edit/ReadProblem.tsx';
import type { AudioAsset } from '#lib/dashboard/edit/resources.ts';
import { useMe } from '#lib/dashboard/me.tsx';
import { tenantHome } from '#lib/dashboard/navigation.tsx';
import { useChange, useGet } from '#lib/dashboard/queries.ts';

const Waveform = dynamic(() => import('@clarion/ui/waveform').then((part) => part.Waveform), {
  ssr: false,
  loading: () => <Skeleton className="h-28!" />,
});

interface SoundDrawerProps {
  tenantRef: string;
  /** Null: closed. */
  sound: AudioAsset | null;
  uses: readonly SoundUse[];
  onClose(): void;
}

export function AudioDrawer({ tenantRef, sound, uses, onClose }: SoundDrawerProps) {
  const me = useMe();
  const toasts = useToasts();
  const [asking, setAsking] = useState(false);
  const remove = useChange('DELETE', '/v1/tenants/{tenantRef}/audio-assets/{assetId}', {
    invalidates: ['/v1/tenants/{tenantRef}/audio-assets'],
  });
  if (sound === null) return <Drawer open={false} onOpenChange={onClose} title="Audio file" />;
  const { id, name } = sound;
  return (
    <Drawer
      open
      onOpenChange={(open) => !open && onClose()}
      title={name}
      footer={
        me.may('manage') && (
          <Button
            tone="negative"
            icon={<Trash2 className="size-4" aria-hidden />}
            onClick={() => setAsking(true)}
            disabled={uses.length > 0}
          >
            Delete audio
          </Button>
        )
      }
    >
      <Stack>
        <Player key={id} tenantRef={tenantRef} assetId={id} name={name} />
        <DescriptionList
          items={[
            { term: 'Length', value: <Duration seconds={sound.durationSeconds} clock /> },
            { term: 'Size', value: formatBytes(sound.sizeBytes) },
            { term: 'Added', value: <DateTime at={sound.createdAt} /> },
            { term: 'ID in flows', value: id, copy: String(id) },
          ]}
        />
        {uses.length > 0 && (
          <Notice title="This audio is in use">
            To delete it, first choose other audio in:
            <ul className="mt-1 list-disc pl-5">
              {uses.map(({ kind, ref, name: user }) => (
                <li key={`${kind}:${ref}`}>
                  {kind === 'queue' ? 'Queue ' : 'Flow '}
                  <TextLink
                    href={`${tenantHome(tenantRef)}/${kind === 'queue' ? 'queues' : 'flows'}/${encodeURIComponent(ref)}`}
                  >
                    {user}
                  </TextLink>
                </li>
              ))}
            </ul>
          </Notice>
        )}
      </Stack>
      <ConfirmAction
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${name}?`}
        confirmLabel="Delete audio"
        tone="negative"
        busy={remove.isPending}
        onConfirm={async () => {
          await remove.mutateAsync({ path: { tenantRef, assetId: id } });
          toasts.add({ title: `${name} was deleted` });
          onClose();
        }}
      >
        The file is deleted immediately. This cannot be undone.
      </ConfirmAction>
    </Drawer>
  );
}

/** Download URLs expire after five minutes, so the link is renewed. */
const REFRESH_MS = 240_000;

interface PlayerProps {
  tenantRef: string;
  assetId: number;
  name: string;
}

function Player({ tenantRef, assetId, name }: PlayerProps) {
  const { data, error, refetch } = useGet(
    '/v1/tenants/{tenantRef}/audio-assets/{assetId}/url',
    { path: { tenantRef, assetId } },
    { refetchInterval: REFRESH_MS },
  );
  if (data !== undefined) return <Loaded url={data.url} name={name} />;
  return error === null ? (
    <Skeleton className="h-28!" />
  ) : (
    <ReadProblem what="The audio file" problem={error} onRetry={() => void refetch()} />
  );
}

/** The player keeps the first URL. */
function Loaded({ url, name }: { url: string; name: string }) {
  const [src] = useState(url);
  return <Waveform src={src} channels={[{ label: name }]} downloadHref={url} label={name} />;
}
