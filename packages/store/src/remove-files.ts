/** Removes many files, a few at a time. */
import type { StoredFile } from './driver.ts';
import type { Store } from './store.ts';

const AT_ONCE = 8;

/** Stops at the first file that cannot be removed. Those before it are removed, and removing them again is harmless. */
export async function removeFiles(store: Store, files: readonly StoredFile[]): Promise<void> {
  const left = [...files];
  let failed = false;
  const remove = async () => {
    for (let file = left.shift(); file && !failed; file = left.shift()) {
      try {
        await store.remove(file);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, remove));
}
