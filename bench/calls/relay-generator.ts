/** The same audio through rtpengine instead of our media process: RTP on one side, ICE, DTLS and SRTP on the other. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RtpPort } from '@clarion/test-phone/rtp/port';
import { phoneSdp, readSdp } from '@clarion/test-phone/sip/sdp';
import { WebRtcLeg } from '@clarion/testkit/agents/webrtc-leg';
import { Probe, type Direction } from './probe.ts';
import { Rtpengine } from './rtpengine.ts';

export interface RelayLoad {
  calls: number;
  talkSeconds: number;
}
export type RelayStage =
  | { stage: 'connected'; pid: number | undefined }
  | { stage: 'measured'; toAgent: Direction; toCaller: Direction };

const SETTLE_MS = 2_000;
const report = (stage: RelayStage) => process.send?.(stage);

async function connect(engine: Rtpengine, index: number): Promise<{ port: RtpPort; leg: WebRtcLeg }> {
  const call = { 'call-id': `bench-${index}`, 'from-tag': 'agent' };
  const leg = new WebRtcLeg('PCMA', ['PCMA']);
  const port = await RtpPort.open({ law: 'PCMA' });
  const plain = { 'transport-protocol': 'RTP/AVP', ICE: 'remove', 'rtcp-mux': ['demux'] };
  const offered = await engine.rewrite({ ...call, command: 'offer', sdp: await leg.offer(), ...plain });
  port.remote = readSdp(offered, ['PCMA']);
  const secure = { 'transport-protocol': 'UDP/TLS/RTP/SAVPF', ICE: 'force', DTLS: 'active' };
  const sdp = phoneSdp(port, ['PCMA']);
  await leg.accept(await engine.rewrite({ ...call, command: 'answer', 'to-tag': 'carrier', sdp, ...secure }));
  return { port, leg };
}

async function run(load: RelayLoad): Promise<void> {
  const engine = await Rtpengine.start();
  try {
    const toAgent = new Probe(1);
    const toCaller = new Probe(2);
    for (let index = 0; index < load.calls; index += 1) {
      const { port, leg } = await connect(engine, index);
      toAgent.attach(index, port, leg);
      toCaller.attach(index, leg, port);
    }
    await sleep(SETTLE_MS);
    report({ stage: 'connected', pid: engine.child.pid });
    toAgent.begin();
    toCaller.begin();
    await sleep(load.talkSeconds * 1000);
    report({ stage: 'measured', toAgent: toAgent.end(), toCaller: toCaller.end() });
  } finally {
    await engine.stop();
  }
}

process.once('message', (load: RelayLoad) => {
  run(load).then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`relay: ${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
