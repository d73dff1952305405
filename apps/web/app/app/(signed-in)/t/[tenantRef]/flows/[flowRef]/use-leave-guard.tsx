'use client';

import { ConfirmDialog } from '@clarion/ui';
import { useRouter } from 'next/navigation.js';
import { useEffect, useState, type ReactNode } from 'react';

/**
 * Asks for confirmation before unsaved changes are lost, by following a link of the dashboard or closing the tab.
 *
 * @param onLeave called when the user confirms
 */
export function useLeaveGuard(hasChanges: boolean, onLeave: () => void): ReactNode {
  const router = useRouter();
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (!hasChanges) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
      const plain =
        event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
      if (!plain || !(link instanceof HTMLAnchorElement) || link.target === '_blank') return;
      const url = new URL(link.href);
      if (url.origin !== location.origin || url.pathname === location.pathname) return;
      event.preventDefault();
      event.stopPropagation();
      setTo(`${url.pathname}${url.search}${url.hash}`);
    };
    window.addEventListener('beforeunload', onUnload);
    document.addEventListener('click', onClick, true);
    return () => {
      window.removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
    };
  }, [hasChanges]);
  return (
    <ConfirmDialog
      open={to !== null}
      onOpenChange={() => setTo(null)}
      title="Leave without saving?"
      confirmLabel="Leave"
      cancelLabel="Keep editing"
      tone="negative"
      onConfirm={() => {
        onLeave();
        if (to !== null) router.push(to);
        setTo(null);
      }}
    >
      Your changes since the last save will be lost.
    </ConfirmDialog>
  );
}
