/** Local files (recordings, audio, the spool) are readable only by the user that Clarion runs as. */
import { chmodSync, statSync } from 'node:fs';

/** Mode of new folders, further restricted by the umask. */
export const PRIVATE_FOLDER_MODE = 0o700;
/** Mode of new files. */
export const PRIVATE_FILE_MODE = 0o600;
const OTHERS = 0o077;

/**
 * Creates the folder, or restricts the mode of an existing one that other users can read. Other users cannot traverse it then, so the
 * files in it need not be changed, however many there are. A folder whose mode we may not change (another owner, a read-only disk)
 * stays as it is.
 */
export function closeToOthers(folder: string): void {
  try {
    const { mode } = statSync(folder);
    if (mode & OTHERS) chmodSync(folder, mode & ~OTHERS);
  } catch {
    return;
  }
}
