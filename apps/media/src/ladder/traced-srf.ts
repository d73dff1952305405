/** Where the ladder meets drachtio-srf: its control connection, and the Call-IDs of the INVITEs that we send. */
import type { SrfClient } from '../sip/srf.ts';

/** The connection inside drachtio-srf, which its interface does not show: it emits `msg` for every frame received. */
interface WithWire {
  app?: {
    client?: {
      wp?: { prependListener: (event: 'msg', listener: (socket: unknown, frame: string) => void) => void };
    };
  };
}

/** Captures every frame, before drachtio-srf processes it. Must be called after `connect`, which creates the connection. */
export function tapFrames(srf: SrfClient, capture: (frame: string) => void): void {
  const wire = (srf as SrfClient & WithWire).app?.client?.wp;
  if (!wire) throw new Error('drachtio-srf has no control connection to capture SIP messages from');
  wire.prependListener('msg', (_socket, frame) => capture(frame));
}

/** The same client, which reports the Call-ID of each INVITE that it sends. */
export const tracedSrf = (srf: SrfClient, sending: (sipCallId: string | undefined) => void): SrfClient =>
  Object.assign(Object.create(srf) as SrfClient, {
    createUAC: (...[uri, options, progress, done]: Parameters<SrfClient['createUAC']>) =>
      srf.createUAC(
        uri,
        options,
        {
          ...progress,
          cbRequest: (error, req) => {
            if (req) sending(req.get('Call-ID'));
            progress.cbRequest(error, req);
          },
        },
        done,
      ),
  } satisfies Pick<SrfClient, 'createUAC'>);
