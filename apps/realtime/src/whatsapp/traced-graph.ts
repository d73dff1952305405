/** Requests about calls to Meta's Graph API, for the ladder of their call: the body, never the access token, with masked SDP. */
import type { GraphClient, GraphLine, GraphResult } from '@clarion/core/whatsapp/graph-client';
import { GRAPH_VERSION } from '@clarion/core/whatsapp/graph-client';
import { answerBody, connectBody, endBody } from '@clarion/core/whatsapp-graph/graph-bodies';
import { LADDER_MESSAGE_CHARS } from '@clarion/protocol/ladder';
import type { LadderPart } from '@clarion/protocol/ladder';
import { maskSdp } from '@clarion/protocol/mask-sdp';

export interface GraphRequest {
  phoneNumberId: string;
  body: object;
}

/** The same client, which passes on what it sends about calls. */
export function tracedGraph(graph: GraphClient, sending: (request: GraphRequest) => void): GraphClient {
  const about = ({ phoneNumberId }: GraphLine, body: object) => sending({ phoneNumberId, body });
  return {
    ...graph,
    connect(line, call) {
      about(line, connectBody(call.to, call.sdpOffer, call.opaque));
      return graph.connect(line, call);
    },
    preAccept(line, callId, sdp) {
      about(line, answerBody('pre_accept', callId, sdp));
      return graph.preAccept(line, callId, sdp);
    },
    accept(line, callId, sdp) {
      about(line, answerBody('accept', callId, sdp));
      return graph.accept(line, callId, sdp);
    },
    reject(line, callId) {
      about(line, endBody('reject', callId));
      return graph.reject(line, callId);
    },
    terminate(line, callId) {
      about(line, endBody('terminate', callId));
      return graph.terminate(line, callId);
    },
  };
}

export function graphPart(
  action: string,
  { phoneNumberId, body }: GraphRequest,
  result: GraphResult<unknown>,
  durationMs: number,
): LadderPart {
  const request = `POST /${GRAPH_VERSION}/${phoneNumberId}/calls\n\n${shown(body)}`;
  const response = responseOf(result);
  const common = { kind: 'graph', leg: 0 } as const;
  return {
    version: 1,
    legs: [{ id: 'whatsapp', kind: 'whatsapp', omitted: 0 }],
    entries: [
      { ...common, ms: 0, title: `POST calls: ${action}`, ...cut(request), sent: true },
      {
        ...common,
        ms: durationMs,
        title: `${response.title} (${action})`,
        ...cut(response.text),
        sent: false,
      },
    ],
  };
}

function responseOf(result: GraphResult<unknown>): { title: string; text: string } {
  switch (result.kind) {
    case 'ok':
      return { title: '200', text: '' };
    case 'refused':
      return { title: String(result.httpStatus), text: shown(result.error) };
    case 'silent':
      return {
        title: `No usable response: ${result.silence}`,
        text: result.sent ? 'The request may have had its effect.' : 'The request was not sent.',
      };
  }
}

const shown = (body: object): string =>
  JSON.stringify(
    body,
    (key, value: unknown) => (key === 'sdp' && typeof value === 'string' ? maskSdp(value) : value),
    2,
  );

const cut = (text: string) =>
  text.length <= LADDER_MESSAGE_CHARS
    ? { text }
    : { text: text.slice(0, LADDER_MESSAGE_CHARS), cut: text.length - LADDER_MESSAGE_CHARS };
