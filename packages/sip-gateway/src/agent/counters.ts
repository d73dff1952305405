/** What the gateway counts; read by the operator's status and by tests. */

export interface Counters {
  requestsIn: number;
  responsesIn: number;
  /** Messages that could not be parsed or answered. */
  malformed: number;
  /** Sound enough to be answered with a refusal. */
  refused: number;
  /** Messages outside any dialog or transaction that the flood guard dropped. */
  flooded: number;
  /** Connections refused, unframeable streams, socket errors. */
  transportDrops: number;
  strayResponses: number;
  /** Calls ended by the server itself: app lost, ACK missing, session expired, ring timeout. */
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
