'use client';

/** The upload of one audio file: its progress, its error, and the refreshed list. */
import { useToasts } from '@clarion/ui';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { uploadSound } from '#lib/dashboard/audio/upload-sound.ts';
import { invalidate } from '#lib/dashboard/queries.ts';
import { RequestProblem } from '#lib/dashboard/request.ts';

export interface Upload {
  /** From 0 to 100; null while the service decodes it; undefined without an upload. */
  progress: number | null | undefined;
  problem: string | undefined;
  send(name: string, file: () => Promise<File>): Promise<void>;
  forget(): void;
}

export function useUpload(tenantRef: string, onDone: () => void): Upload {
  const client = useQueryClient();
  const toasts = useToasts();
  const [progress, setProgress] = useState<number | null>();
  const [problem, setProblem] = useState<string>();
  const stop = useRef(new AbortController());
  useEffect(() => {
    const aborting = new AbortController();
    stop.current = aborting;
    return () => aborting.abort();
  }, []);

  async function send(name: string, file: () => Promise<File>) {
    const { signal } = stop.current;
    setProblem(undefined);
    setProgress(0);
    try {
      await uploadSound({ tenantRef, name, file: await file(), onProgress: setProgress, signal });
      await invalidate(client, ['/v1/tenants/{tenantRef}/audio-assets']);
      toasts.add({ title: `${name} was saved`, tone: 'positive' });
      onDone();
    } catch (error) {
      if (signal.aborted) return;
      setProblem(error instanceof RequestProblem ? error.message : 'The browser could not read this audio.');
    } finally {
      setProgress(undefined);
    }
  }
  return { progress, problem, send, forget: () => setProblem(undefined) };
}
