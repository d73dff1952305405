import { LoaderCircle, Unplug } from 'lucide-react';
import { Button } from '../actions/Button.tsx';
import type { PhoneActions, PhoneModel } from './model.ts';

/** Shown without a connection: connecting, or rejected by the service. */
export function OfflineView({
  model,
  onReconnect,
}: {
  model: PhoneModel;
  onReconnect: PhoneActions['reconnect'];
}) {
  if (model.connection === 'connecting')
    return (
      <div className="flex flex-1 flex-col items-center justify-center gap-4 p-5 text-muted">
        <LoaderCircle className="size-8 motion-safe:animate-spin" strokeWidth={1.75} aria-hidden />
        <p className="text-base">Signing in</p>
      </div>
    );
  return (
    <div className="flex flex-1 flex-col items-center justify-center gap-5 p-8 text-center">
      <span className="grid size-24 place-items-center rounded-full bg-raised text-muted" aria-hidden>
        <Unplug className="size-9" strokeWidth={1.75} />
      </span>
      <div className="flex flex-col gap-1">
        <p className="text-lg font-semibold text-ink">You are not connected</p>
        <p className="text-base text-pretty text-muted">
          {model.connectionError ?? 'You cannot receive calls until you reconnect.'}
        </p>
      </div>
      <Button size="lg" tone="accent" className="min-w-40" onClick={onReconnect}>
        Reconnect
      </Button>
    </div>
  );
}
