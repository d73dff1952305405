/** AsyncStorage, or anything like it. */
export interface AppStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
}

const DEVICE_KEY = 'clarion:device';
const ID_DIGITS = 16;

/** The ID of this installation of the app, the same after a restart if the storage works. */
export async function storedDeviceId(storage: AppStorage): Promise<string> {
  const made = `app-${Date.now().toString(36)}${randomDigits()}`;
  try {
    const known = await storage.getItem(DEVICE_KEY);
    if (known) return known;
    await storage.setItem(DEVICE_KEY, made);
  } catch {
    // Calls work without it, until the next restart.
  }
  return made;
}

/** The ID is no secret, and React Native has no `crypto`. */
const randomDigits = () =>
  Array.from({ length: ID_DIGITS }, () => Math.floor(Math.random() * 36).toString(36)).join('');
