/** `carrier`: the far end of the demo account's trunk. `realtime2`, `media2`: second nodes, where the options ask for them. */
export type AppName = 'sip' | 'carrier' | 'realtime' | 'realtime2' | 'media' | 'media2' | 'worker' | 'web';
export type ProcessName = 'postgres' | AppName;

/** In the order of starting; they are stopped in reverse order. The database is started before all of them. */
export const APP_NAMES: readonly AppName[] = [
  'sip',
  'carrier',
  'realtime',
  'realtime2',
  'media',
  'media2',
  'worker',
  'web',
];
