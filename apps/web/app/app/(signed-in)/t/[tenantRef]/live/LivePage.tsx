'use client';

import type { BoardAgent } from '@clarion/sdk';
import { Button, ButtonLink, classNames, ConfirmDialog, Notice, SearchField, useToasts } from '@clarion/ui';
import { Maximize2, Minimize2 } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { useMe } from '#lib/dashboard/me.tsx';
import { useChange } from '#lib/dashboard/queries.ts';
import { useUrlState } from '#lib/dashboard/use-url-state.ts';
import { AgentsPanel, agentStates } from './AgentsPanel.tsx';
import type { CallFilter } from './board-store.ts';
import { CallsPanel } from './CallsPanel.tsx';
import { ConnectionMark } from './ConnectionMark.tsx';
import { ListenBar } from './ListenBar.tsx';
import { LiveContext } from './live-context.ts';
import { LiveFigures } from './LiveFigures.tsx';
import { QueuesPanel } from './QueuesPanel.tsx';
import { useListening } from './use-listening.ts';
import { useLive } from './use-live.ts';

export function LivePage({ tenantRef }: { tenantRef: string }) {
  const me = useMe();
  const url = useUrlState();
  const live = useLive(tenantRef);
  const listening = useListening(live.watcher);
  const [ending, setEnding] = useState<number | null>(null);
  const wall = url.get('wall') === '1';
  const queueId = Number(url.get('queue')) || null;
  const search = useDeferredValue(url.get('search'));
  const state = callStates.find((one) => one === url.get('calls')) ?? null;
  const order = url.get('order') === 'newest' ? 'newest' : 'longest';
  const agentState = agentChoices.find((one) => one === url.get('agents')) ?? null;

  const { store } = live;
  const calls = useMemo<CallFilter>(
    () => ({ search, state, queueId, order }),
    [search, state, queueId, order],
  );
  const agents = useMemo(() => ({ search, state: agentState, queueId }), [search, agentState, queueId]);
  useEffect(() => store.filterCalls(calls), [store, calls]);
  useEffect(() => store.filterAgents(agents), [store, agents]);

  const mayEnd = me.may('manage');
  const tools = useMemo(
    () => ({ tenantRef, live, listening, endCall: mayEnd ? setEnding : null }),
    [tenantRef, live, listening, mayEnd],
  );
  const stale = live.state !== 'live';
  return (
    <LiveContext value={tools}>
      <div
        className={classNames(
          'flex min-h-0 flex-col',
          wall ? 'fixed inset-0 z-40 overflow-y-auto bg-canvas' : 'lg:h-dvh',
        )}
      >
        <div className="mx-auto flex w-full max-w-[120rem] flex-1 flex-col gap-4 px-4 py-5 max-lg:flex-none sm:px-6 lg:min-h-0">
          <header className="flex shrink-0 flex-wrap items-center justify-between gap-x-4 gap-y-3">
            <div className="flex items-center gap-3">
              <h1 className="text-xl font-semibold tracking-tight">Live board</h1>
              <ConnectionMark state={live.state} />
            </div>
            <div className="flex flex-1 items-center justify-end gap-2 max-sm:basis-full">
              <SearchField
                label="Search callers, lines and agents"
                placeholder="Search"
                value={url.get('search')}
                onChange={(value) => url.set({ search: value })}
              />
              <Button
                icon={
                  wall ? (
                    <Minimize2 className="size-4.5" aria-hidden />
                  ) : (
                    <Maximize2 className="size-4.5" aria-hidden />
                  )
                }
                aria-pressed={wall}
                onClick={() => {
                  toggleFullScreen(!wall);
                  url.set({ wall: wall ? null : '1' });
                }}
              >
                {wall ? 'Exit full screen' : 'Full screen'}
              </Button>
            </div>
          </header>
          <Trouble tenantRef={tenantRef} state={live.state} message={live.problem?.message ?? null} />
          {/* Figures that may be out of date are marked. */}
          <div
            className={classNames(
              'flex min-h-0 flex-1 flex-col gap-4 transition-opacity',
              stale && live.state !== 'connecting' && 'opacity-45 grayscale',
            )}
            aria-busy={stale}
          >
            <LiveFigures tenantRef={tenantRef} />
            <div className="grid min-h-0 flex-1 gap-4 max-lg:grid-cols-1 lg:grid-cols-[minmax(0,1fr)_22rem]">
              <div className="flex min-h-0 min-w-0 flex-col max-lg:max-h-[32rem] max-lg:min-h-60 [&>*]:flex-1">
                <CallsPanel
                  filter={calls}
                  filtered={search !== '' || state !== null || queueId !== null}
                  onFilter={(change) => {
                    url.set({
                      ...(change.state !== undefined && { calls: change.state }),
                      ...(change.order !== undefined && {
                        order: change.order === 'newest' ? 'newest' : null,
                      }),
                    });
                  }}
                />
              </div>
              <div className="flex min-h-0 min-w-0 flex-col gap-4">
                <QueuesPanel
                  chosen={queueId}
                  onChoose={(id) => url.set({ queue: id === null ? null : String(id) })}
                />
                <div className="flex min-h-0 flex-1 flex-col [&>*]:flex-1">
                  <AgentsPanel filter={agents} onState={(one) => url.set({ agents: one })} />
                </div>
              </div>
            </div>
          </div>
        </div>
        <ListenBar />
        <EndCall callId={ending} onClose={() => setEnding(null)} />
      </div>
    </LiveContext>
  );
}

const callStates = ['waiting', 'ringing', 'active'] as const;
const agentChoices = Object.keys(agentStates) as BoardAgent['state'][];

/** The browser may refuse; then the board still fills the page. */
function toggleFullScreen(on: boolean): void {
  const done = on
    ? document.documentElement.requestFullscreen?.()
    : document.fullscreenElement && document.exitFullscreen();
  if (done) done.catch(() => undefined);
}

function Trouble({
  tenantRef,
  state,
  message,
}: {
  tenantRef: string;
  state: string;
  message: string | null;
}) {
  if (state === 'lost') {
    return (
      <Notice tone="negative" title="Connection lost">
        Reconnecting. The figures below are not current. Calls are not affected.
      </Notice>
    );
  }
  if (state !== 'over') return null;
  return (
    <Notice
      tone="negative"
      title="The live board was disconnected"
      action={<ButtonLink href={`/app/t/${encodeURIComponent(tenantRef)}/live`}>Try again</ButtonLink>}
    >
      {message ?? 'Sign in again to continue.'}
    </Notice>
  );
}

function EndCall({ callId, onClose }: { callId: number | null; onClose(): void }) {
  const toasts = useToasts();
  const terminate = useChange('POST', '/v1/calls/{callId}/terminate');
  return (
    <ConfirmDialog
      open={callId !== null}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title="End this call?"
      confirmLabel="End call"
      tone="negative"
      onConfirm={async () => {
        if (callId === null) return;
        try {
          await terminate.mutateAsync({ path: { callId } });
        } catch (error) {
          const description = error instanceof Error ? error.message : 'Try again in a moment.';
          toasts.add({ title: 'The call was not ended', description, tone: 'negative' });
        }
        onClose();
      }}
    >
      The caller and the agent are disconnected immediately. This cannot be undone.
    </ConfirmDialog>
  );
}
