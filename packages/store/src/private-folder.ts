/** What lies on a disk of ours (recordings, audio, voices on their way to a store) is for the user that Clarion runs as. */
import { chmodSync, statSync } from 'node:fs';

/** Of new folders. Where the umask takes away more, it stays away. */
export const PRIVATE_FOLDER_MODE = 0o700;
/** Of new files. */
export const PRIVATE_FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Closes a folder that an earlier version made readable for everybody. Nobody passes through a closed folder, so that what lies in it need
 * not be walked, however many files there are. What is not ours to change (another owner, a read-only disk) stays as its owner set it,
 * and a folder that is not there yet is made closed.
 */
export function closeToOthers(folder: string): void {
  try {
    const { mode } = statSync(folder);
    if (mode & OTHERS) chmodSync(folder, mode & ~OTHERS);
  } catch {
    return;
  }
}
