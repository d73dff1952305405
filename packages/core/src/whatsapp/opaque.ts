/**
 * The opaque data of a call that we place. Every app that is subscribed to the WhatsApp account can read it, so it contains only the call's
 * ID.
 */
const OPAQUE = /^clarion-call-(\d{1,9})$/;

export const opaqueOf = (callId: number): string => `clarion-call-${callId}`;

/** Null: placed by another system that uses the same number. */
export const callIdOfOpaque = (opaque: string): number | null => {
  const id = OPAQUE.exec(opaque)?.[1];
  return id === undefined ? null : Number(id);
};
