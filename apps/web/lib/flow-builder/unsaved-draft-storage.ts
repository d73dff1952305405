/** Where drafts that were not saved lie: in the tab's own storage, each under its flow. Where a browser lets pages keep nothing, nothing is kept. */
const PREFIX = 'clarion flow';

export const unsavedDraftKey = (tenantRef: string, flowRef: string): string =>
  [PREFIX, ...[tenantRef, flowRef].map(encodeURIComponent)].join(' ');

/** Whose a draft is: an email outlives a session that ran out while they drew. */
export const unsavedDraftOwner = ({
  email,
  sessionId,
}: {
  email: string | null;
  sessionId: number;
}): string => email ?? `session ${sessionId}`;

/** Refs of the tenant's flows that something is kept of. */
export function unsavedDraftRefs(tenantRef: string): string[] {
  const start = unsavedDraftKey(tenantRef, '');
  return guarded((storage) => Object.keys(storage), [])
    .filter((key) => key.startsWith(start))
    .map((key) => decodeURIComponent(key.slice(start.length)));
}

export const tabStorage = {
  get: (key: string): string | null => guarded((storage) => storage.getItem(key), null),
  /** Not when it is full: what is drawn is still on the page. */
  set: (key: string, text: string): void => guarded((storage) => storage.setItem(key, text), undefined),
  remove: (key: string): void => guarded((storage) => storage.removeItem(key), undefined),
};

function guarded<T>(work: (storage: Storage) => T, otherwise: T): T {
  try {
    return work(window.sessionStorage);
  } catch {
    return otherwise;
  }
}
