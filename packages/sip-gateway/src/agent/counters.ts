/** The counters of the gateway, for operators and tests. */

export interface Counters {
  requestsIn: number;
  responsesIn: number;
  /** Messages that could neither be parsed nor be responded to. */
  malformed: number;
  /** Malformed requests that were rejected with a response. */
  refused: number;
  /** Messages outside any dialog or transaction that the flood guard dropped. */
  flooded: number;
  /** Rejected connections, invalid streams, socket errors. */
  transportDrops: number;
  strayResponses: number;
  /** Calls ended by the server: app disconnected, ACK missing, session expired, ring timeout. */
  endedByServer: number;
}

export function newCounters(): Counters {
  return {
    requestsIn: 0,
    responsesIn: 0,
    malformed: 0,
    refused: 0,
    flooded: 0,
    transportDrops: 0,
    strayResponses: 0,
    endedByServer: 0,
  };
}
