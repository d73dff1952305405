/** Removes many files, a few at a time. */
import type { StoredFile } from './driver.ts';
import type { Store } from './store.ts';

const AT_ONCE = 8;

export interface Removal {
  removed: StoredFile[];
  errors: unknown[];
}

/** Stops at the first file that cannot be removed. Those before it are removed, and removing them again is harmless. */
export async function removeFiles(store: Store, files: readonly StoredFile[]): Promise<void> {
  const { errors } = await removeWherePossible(store, files, 1);
  if (errors.length > 0) throw errors[0];
}

/** Passes over files that cannot be removed, and stops once there are `maxErrors` of them: then it is not the files. */
export async function removeWherePossible(
  store: Store,
  files: readonly StoredFile[],
  maxErrors: number,
): Promise<Removal> {
  const left = [...files];
  const removal: Removal = { removed: [], errors: [] };
  const remove = async () => {
    while (removal.errors.length < maxErrors) {
      const file = left.shift();
      if (!file) return;
      try {
        await store.remove(file);
        removal.removed.push(file);
      } catch (error) {
        removal.errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, remove));
  return removal;
}
