'use client';

import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { textTone, type Tone } from '../shared/tones.ts';
import type { ToastContent } from './Toasts.tsx';

/** Long enough to read; a toast with an Undo button stays longer. */
const SHOWN_MS = 5_000;
const SHOWN_WITH_UNDO_MS = 10_000;

interface ToastData {
  tone: Tone;
}

const icons = {
  neutral: Info,
  accent: Info,
  positive: CircleCheck,
  negative: CircleAlert,
  warning: TriangleAlert,
};

/**
 * Shows the toasts of `contents`. The list only grows. They are at the bottom in the middle, on narrow screens at the top, because the
 * buttons of a sheet are at its bottom on the right.
 */
export function Toaster({ contents }: { contents: readonly ToastContent[] }) {
  const portal = usePortal();
  return (
    <Toast.Provider timeout={SHOWN_MS} limit={4}>
      <Adding contents={contents} />
      <Toast.Portal {...portal}>
        <Toast.Viewport className="fixed inset-x-4 top-4 z-80 mx-auto flex max-w-96 flex-col gap-2 sm:top-auto sm:bottom-6">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Adding({ contents }: { contents: readonly ToastContent[] }) {
  const { add, close } = Toast.useToastManager<ToastData>();
  const shown = useRef(0);
  useEffect(() => {
    for (const { title, description, tone = 'neutral', undo } of contents.slice(shown.current)) {
      const id = add({
        title,
        ...(description !== undefined && { description }),
        priority: tone === 'negative' ? 'high' : 'low',
        timeout: undo === undefined ? SHOWN_MS : SHOWN_WITH_UNDO_MS,
        data: { tone },
        ...(undo !== undefined && {
          actionProps: {
            children: 'Undo',
            onClick: () => {
              close(id);
              void undo();
            },
          },
        }),
      });
    }
    shown.current = contents.length;
  }, [contents, add, close]);
  return null;
}

function ToastList() {
  const { toasts } = Toast.useToastManager<ToastData>();
  return toasts.map((toast) => {
    const tone = toast.data?.tone ?? 'neutral';
    const Icon = icons[tone];
    return (
      <Toast.Root
        key={toast.id}
        toast={toast}
        swipeDirection={['right', 'down']}
        className="cl-rise cl-focus rounded-panel border border-line bg-surface text-ink shadow-card transition-opacity duration-200 data-ending-style:opacity-0 data-limited:hidden"
      >
        <Toast.Content className="flex items-start gap-3 py-3 pr-2 pl-4">
          <Icon className={classNames('mt-0.5 size-4.5 shrink-0', textTone[tone])} aria-hidden />
          <div className="min-w-0 flex-1 py-px text-md [overflow-wrap:anywhere]">
            <Toast.Title className="font-medium" />
            <Toast.Description className="text-muted" />
          </div>
          <Toast.Action className="cl-focus min-h-8 shrink-0 rounded-control px-2 text-md font-medium text-accent hover:bg-raised pointer-coarse:min-h-11" />
          <Toast.Close
            aria-label="Close"
            className="cl-focus grid size-8 shrink-0 place-items-center rounded-control text-muted hover:bg-raised pointer-coarse:size-11"
          >
            <X className="size-4" aria-hidden />
          </Toast.Close>
        </Toast.Content>
      </Toast.Root>
    );
  });
}
