/** CallKit requires UUIDs. They are no secrets, and React Native has no `crypto`. */
export const newUuid = (): string =>
  'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => Math.floor(Math.random() * 16).toString(16));
