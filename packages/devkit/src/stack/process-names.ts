/** `carrier`: the far end of the demo account's trunk. `whatsapp`: the simulator of WhatsApp for the demo account. `realtime2`, `media2`: second nodes, if requested by the options. */
export type AppName =
  'sip' | 'carrier' | 'realtime' | 'realtime2' | 'media' | 'media2' | 'worker' | 'web' | 'whatsapp';
export type ProcessName = 'postgres' | AppName;

/** In the order in which they are started; they are stopped in reverse order. The database is started first. */
export const APP_NAMES: readonly AppName[] = [
  'sip',
  'carrier',
  'realtime',
  'realtime2',
  'media',
  'media2',
  'worker',
  'web',
  'whatsapp',
];
