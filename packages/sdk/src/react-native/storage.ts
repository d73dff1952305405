/** AsyncStorage, or anything like it. */
export interface AppStorage {
  getItem(key: string): Promise<string | null>;
  setItem(key: string, value: string): Promise<unknown>;
}

const DEVICE_KEY = 'clarion:device';
const ID_DIGITS = 16;

/** The ID of this installation of the app, the same after a restart. */
export async function storedDeviceId(storage: AppStorage): Promise<string> {
  const known = await storage.getItem(DEVICE_KEY);
  if (known) return known;
  const made = `app-${Date.now().toString(36)}${randomDigits()}`;
  await storage.setItem(DEVICE_KEY, made);
  return made;
}

/** The ID is no secret, and React Native has no `crypto`. */
const randomDigits = () =>
  Array.from({ length: ID_DIGITS }, () => Math.floor(Math.random() * 36).toString(36)).join('');
