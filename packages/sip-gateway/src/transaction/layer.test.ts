import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/manual-clock.ts';
import type { SipMessage } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import type { Peer, Protocol } from '../transport/transport.ts';
import type { ServerTransaction } from './layer.ts';
import { TransactionLayer } from './layer.ts';
import { timerValues } from './timers.ts';

/** A layer with a manual clock; everything it sends or reports is recorded with the time in ms. */
function bench(protocol: Protocol = 'udp') {
  const clock = new ManualClock();
  const log: string[] = [];
  const peer: Peer = { protocol, address: '192.0.2.1', port: 5060 };
  const accepted: ServerTransaction<string>[] = [];
  let breaks = false;
  let userThrows = false;
  const layer = new TransactionLayer<string, string>(
    clock,
    timerValues(),
    {
      send: (text, _to, failed) => {
        log.push(`${clock.now()} send ${text.slice(0, 12).trim()}`);
        if (breaks) clock.after(0, () => failed(new Error('broken')));
      },
      isReliable: ({ protocol: p }) => p !== 'udp',
    },
    {
      request: (transaction) => {
        if (userThrows) throw new Error('broken user');
        accepted.push(transaction);
        log.push(`${clock.now()} request ${transaction.request.method}`);
      },
      ack: (message) => log.push(`${clock.now()} ack ${message.cseq}`),
      serverFailed: (transaction) => log.push(`${clock.now()} server failed ${transaction.request.method}`),
      response: (_t, message) => log.push(`${clock.now()} response ${message.status}`),
      strayResponse: (message) => log.push(`${clock.now()} stray ${message.status}`),
      clientFailed: (_t, cause) => log.push(`${clock.now()} client failed ${cause}`),
      clientUnanswered: () => undefined,
      buildAck: () => 'ACK sip:x SIP/2.0',
    },
  );
  return {
    clock,
    layer,
    log,
    peer,
    accepted,
    breakTransport: () => (breaks = true),
    breakUser: () => (userThrows = true),
    take: () => log.splice(0),
    request: (method: string, branch = 'z9hG4bKa') =>
      layer.receiveRequest(message(`${method} sip:x SIP/2.0`, method, branch), peer),
    response: (status: number, method: string, branch = 'z9hG4bKa') =>
      layer.receiveResponse(message(`SIP/2.0 ${status} Words`, method, branch), peer),
    respond: (status: number) => {
      const [transaction] = accepted;
      if (transaction !== undefined) layer.respond(transaction, status, `SIP/2.0 ${status} Words`);
    },
    start: (method: string) => layer.request(`${method} sip:x SIP/2.0`, method, 'z9hG4bKa', peer, 'user'),
  };
}

function message(startLine: string, method: string, branch: string): SipMessage {
  const parsed = parseMessage(
    `${startLine.replace('sip:x', 'sip:x@h')}\r\nVia: SIP/2.0/UDP 192.0.2.1;branch=${branch}\r\nFrom: <sip:a@h>;tag=f\r\n` +
      `To: <sip:b@h>\r\nCall-ID: c\r\nCSeq: 7 ${method}\r\nContent-Length: 0\r\n\r\n`,
  );
  if (parsed === null) throw new Error('bad test message');
  return parsed.message;
}

describe('INVITE client transaction', () => {
  it('retransmits on UDP from T1 on, doubling, and times out after 64*T1', () => {
    const b = bench();
    b.start('INVITE');
    b.clock.advance(40_000);
    const times = [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500].map((at) => `${at} send INVITE sip:x`);
    expect(b.log).toEqual([...times, '32000 client failed timeout']);
    expect(b.layer.clientCount).toBe(0);
    expect(b.clock.pending).toBe(0);
  });

  it('does not retransmit on a stream', () => {
    const b = bench('tcp');
    b.start('INVITE');
    b.clock.advance(40_000);
    expect(b.log).toEqual(['0 send INVITE sip:x', '32000 client failed timeout']);
  });

  it('stops retransmitting and waits without a limit after a provisional response', () => {
    const b = bench();
    b.start('INVITE');
    b.response(180, 'INVITE');
    b.take();
    b.clock.advance(600_000);
    expect(b.log).toEqual([]);
    expect(b.clock.pending).toBe(0);
  });

  it('acknowledges every retransmission of a failure response, passes it once, and ends after 32 s', () => {
    const b = bench();
    b.start('INVITE');
    b.response(486, 'INVITE');
    b.response(486, 'INVITE');
    expect(b.take()).toEqual([
      '0 send INVITE sip:x',
      '0 send ACK sip:x SI',
      '0 response 486',
      '0 send ACK sip:x SI',
    ]);
    b.clock.advance(32_000);
    expect(b.layer.clientCount).toBe(0);
  });

  it('passes every 2xx for 64*T1, so that forks can be distinguished', () => {
    const b = bench();
    b.start('INVITE');
    b.response(200, 'INVITE');
    b.response(200, 'INVITE');
    b.response(180, 'INVITE');
    expect(b.take()).toEqual(['0 send INVITE sip:x', '0 response 200', '0 response 200']);
    b.clock.advance(32_000);
    b.response(200, 'INVITE');
    expect(b.take()).toEqual(['32000 stray 200']);
  });

  it('reports a transport failure immediately', () => {
    const b = bench('tcp');
    b.breakTransport();
    b.start('INVITE');
    b.clock.advance(1);
    expect(b.log).toEqual(['0 send INVITE sip:x', '0 client failed transport']);
    expect(b.clock.pending).toBe(0);
  });
});

describe('non-INVITE client transaction', () => {
  it('retransmits from T1 on, doubling up to T2, and times out after 64*T1', () => {
    const b = bench();
    b.start('BYE');
    b.clock.advance(40_000);
    const at = [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500];
    expect(b.log).toEqual([...at.map((time) => `${time} send BYE sip:x SI`), '32000 client failed timeout']);
  });

  it('retransmits every T2 after a provisional response', () => {
    const b = bench();
    b.start('INFO');
    b.response(100, 'INFO');
    b.take();
    b.clock.advance(9_000);
    expect(b.log).toEqual(['500 send INFO sip:x S', '4500 send INFO sip:x S', '8500 send INFO sip:x S']);
  });

  it('absorbs repeated final responses for T4, then ends', () => {
    const b = bench();
    b.start('OPTIONS');
    b.response(200, 'OPTIONS');
    b.response(200, 'OPTIONS');
    expect(b.take()).toEqual(['0 send OPTIONS sip:', '0 response 200']);
    b.clock.advance(5_000);
    expect(b.layer.clientCount).toBe(0);
    expect(b.clock.pending).toBe(0);
  });
});

describe('INVITE server transaction', () => {
  it('is removed if its user throws, because it has no timer', () => {
    const b = bench();
    b.breakUser();
    expect(() => b.request('INVITE')).toThrow('broken user');
    expect(b.layer.serverCount).toBe(0);
    expect(() => b.request('OPTIONS')).toThrow('broken user');
    expect(b.clock.pending).toBe(0);
  });

  it('responds to a repeated INVITE with the last response and does not pass it on', () => {
    const b = bench();
    b.request('INVITE');
    b.request('INVITE');
    b.respond(180);
    b.request('INVITE');
    expect(b.log).toEqual(['0 request INVITE', '0 send SIP/2.0 180', '0 send SIP/2.0 180']);
  });

  it('retransmits a failure response from T1 on, doubling up to T2, until the ACK, then absorbs for T4', () => {
    const b = bench();
    b.request('INVITE');
    b.respond(486);
    b.clock.advance(8_000);
    b.request('ACK');
    b.clock.advance(60_000);
    const at = [0, 500, 1_500, 3_500, 7_500];
    expect(b.log).toEqual(['0 request INVITE', ...at.map((time) => `${time} send SIP/2.0 486`)]);
    expect(b.layer.serverCount).toBe(0);
    expect(b.clock.pending).toBe(0);
  });

  it('ends without the ACK of a failure response after 64*T1', () => {
    const b = bench();
    b.request('INVITE');
    b.respond(603);
    b.clock.advance(32_000);
    expect(b.log.at(-1)).toBe('32000 server failed INVITE');
    expect(b.layer.serverCount).toBe(0);
  });

  it('does not retransmit a failure response on a stream', () => {
    const b = bench('tcp');
    b.request('INVITE');
    b.respond(486);
    b.clock.advance(5_000);
    expect(b.take()).toEqual(['0 request INVITE', '0 send SIP/2.0 486']);
    b.request('ACK');
    expect(b.layer.serverCount).toBe(0);
  });

  it('keeps a 2xx for 64*T1, passes on the ACK, and sends no second final response', () => {
    const b = bench();
    b.request('INVITE');
    b.respond(200);
    b.respond(486);
    b.request('ACK', 'z9hG4bKother');
    b.request('ACK');
    expect(b.log).toEqual(['0 request INVITE', '0 send SIP/2.0 200', '0 ack 7', '0 ack 7']);
    b.clock.advance(32_000);
    expect(b.layer.serverCount).toBe(0);
  });
});

describe('non-INVITE server transaction', () => {
  it('ignores repeated requests before the response and repeats the response afterwards', () => {
    const b = bench();
    b.request('BYE');
    b.request('BYE');
    expect(b.take()).toEqual(['0 request BYE']);
    b.respond(200);
    b.request('BYE');
    expect(b.take()).toEqual(['0 send SIP/2.0 200', '0 send SIP/2.0 200']);
    b.clock.advance(32_000);
    expect(b.layer.serverCount).toBe(0);
    expect(b.clock.pending).toBe(0);
  });

  it('removes a request without a response', () => {
    const b = bench();
    b.request('OPTIONS');
    b.clock.advance(32_000);
    expect(b.take()).toEqual(['0 request OPTIONS', '32000 server failed OPTIONS']);
    expect(b.layer.serverCount).toBe(0);
  });
});

describe('matching', () => {
  it('distinguishes transactions by branch, sent-by and method', () => {
    const b = bench();
    b.request('OPTIONS', 'z9hG4bKone');
    b.request('OPTIONS', 'z9hG4bKtwo');
    b.request('INFO', 'z9hG4bKone');
    expect(b.layer.serverCount).toBe(3);
  });

  it('matches requests without an RFC 3261 branch by their headers', () => {
    const b = bench();
    b.request('INVITE', '1');
    b.request('INVITE', '1');
    b.respond(486);
    b.request('ACK', '1');
    expect(b.log).toEqual(['0 request INVITE', '0 send SIP/2.0 486']);
    b.clock.advance(5_000);
    expect(b.layer.serverCount).toBe(0);
  });

  it('finds the INVITE of a CANCEL', () => {
    const b = bench();
    b.request('INVITE');
    expect(b.layer.inviteOf(message('CANCEL sip:x SIP/2.0', 'CANCEL', 'z9hG4bKa'))?.request.method).toBe(
      'INVITE',
    );
    expect(b.layer.inviteOf(message('CANCEL sip:x SIP/2.0', 'CANCEL', 'z9hG4bKb'))).toBeUndefined();
  });
});
