const DEVICE_KEY = 'clarion:device';

/** The ID of this browser, the same in all tabs and, if storage is available, after a restart. */
export function browserDeviceId(): string {
  try {
    const known = localStorage.getItem(DEVICE_KEY);
    if (known) return known;
    const made = `web-${randomId()}`;
    localStorage.setItem(DEVICE_KEY, made);
    return made;
  } catch {
    return `web-${randomId()}`;
  }
}

/** 128 random bits. Not crypto.randomUUID, because pages on plain http may connect, even without a microphone. */
export function randomId(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
