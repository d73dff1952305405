'use client';
export function CallPage({ tenantRef, callId }: { tenantRef: string; callId: number }) {
  return <p>{tenantRef + callId}</p>;
}
