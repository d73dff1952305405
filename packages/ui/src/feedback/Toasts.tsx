'use client';

import { createContext, lazy, Suspense, use, useEffect, useMemo, useState, type ReactNode } from 'react';
import type { Tone } from '../shared/tones.ts';

export interface ToastContent {
  title: string;
  description?: string;
  tone?: Tone;
  /** Adds an Undo button. */
  undo?: () => void | Promise<void>;
}

interface Toasts {
  add(content: ToastContent): void;
}

const ToastContext = createContext<Toasts | null>(null);
const Toaster = lazy(async () => ({ default: (await import('./Toaster.tsx')).Toaster }));

/** Wrap the app once; `useToasts().add(…)` below it. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [contents, setContents] = useState<readonly ToastContent[]>([]);
  // Loaded after the page, but before the first toast: a live region announces only what is added after it was mounted.
  const [wanted, setWanted] = useState(false);
  useEffect(() => setWanted(true), []);
  const toasts = useMemo(
    () => ({ add: (content: ToastContent) => setContents((all) => [...all, content]) }),
    [],
  );
  return (
    <ToastContext value={toasts}>
      {children}
      {wanted && (
        <Suspense fallback={null}>
          <Toaster contents={contents} />
        </Suspense>
      )}
    </ToastContext>
  );
}

export function useToasts(): Toasts {
  const toasts = use(ToastContext);
  if (toasts === null) throw new Error('useToasts needs a ToastProvider');
  return toasts;
}
