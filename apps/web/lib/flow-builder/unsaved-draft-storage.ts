/** Stores unsaved drafts by flow in the tab's session storage. If the browser blocks storage, none are stored. */
const PREFIX = 'clarion flow';

export const unsavedDraftKey = (tenantRef: string, flowRef: string): string =>
  [PREFIX, ...[tenantRef, flowRef].map(encodeURIComponent)].join(' ');

/** The owner of a draft, by email, because the session may expire while they edit. */
export const unsavedDraftOwner = ({
  email,
  sessionId,
}: {
  email: string | null;
  sessionId: number;
}): string => email ?? `session ${sessionId}`;

/** The refs of the tenant's flows that have an unsaved draft. */
export function unsavedDraftRefs(tenantRef: string): string[] {
  const start = unsavedDraftKey(tenantRef, '');
  return guarded((storage) => Object.keys(storage), [])
    .filter((key) => key.startsWith(start))
    .map((key) => decodeURIComponent(key.slice(start.length)));
}

export const tabStorage = {
  get: (key: string): string | null => guarded((storage) => storage.getItem(key), null),
  /** Not stored if the storage is full: the draft is still on the page. */
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
