'use client';

import { Button, useToasts } from '@clarion/ui';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { saveBlob } from '#lib/dashboard/csv.ts';
import { requestFile, RequestProblem } from '#lib/dashboard/request.ts';

/** Downloads the SIP ladder of a rejected call as text, to send it to the carrier. */
export function RefusalLadder({ trunkId, refusalId }: { trunkId: number; refusalId: number }) {
  const toasts = useToasts();
  const [busy, setBusy] = useState(false);

  async function save() {
    setBusy(true);
    try {
      const { name, content } = await requestFile('/v1/sip-trunks/{trunkId}/refusals/{refusalId}/ladder', {
        path: { trunkId, refusalId },
        query: { format: 'text' },
      });
      saveBlob(name, content);
    } catch (error) {
      const description = error instanceof RequestProblem ? error.message : 'The file could not be created.';
      toasts.add({ title: 'The download failed', description, tone: 'negative' });
    } finally {
      setBusy(false);
    }
  }

  return (
    <span>
      <Button
        size="sm"
        icon={<Download className="size-4" aria-hidden />}
        busy={busy}
        onClick={() => void save()}
      >
        SIP ladder
      </Button>
    </span>
  );
}
