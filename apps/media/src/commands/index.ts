/** Every media command and its handler. A command without a handler does not compile. */
import {
  mediaCommands,
  type MediaAck,
  type MediaCommand,
  type MediaCommandPayload,
  type MediaReplies,
} from '@clarion/protocol/media';
import { CommandError, type NodeContext } from '../context.ts';
import { agentConnect } from './agent-connect.ts';
import { callRelease } from './call-release.ts';
import { callRoute } from './call-route.ts';
import { carrierAnswer } from './carrier-answer.ts';
import { carrierDial } from './carrier-dial.ts';
import { carrierReject } from './carrier-reject.ts';
import { legDtmf } from './leg-dtmf.ts';
import { legHangup } from './leg-hangup.ts';
import { trunkCheckup } from './trunk-checkup.ts';
import { trunkPing } from './trunk-ping.ts';
import { trunkRegister, trunkUnregister } from './trunk-register.ts';
import { whatsAppAnswer } from './whatsapp-answer.ts';
import { whatsAppOffer } from './whatsapp-offer.ts';
import { whatsAppOpen } from './whatsapp-open.ts';
import { whatsAppRemote } from './whatsapp-remote.ts';

type Handlers = {
  [C in MediaCommand]: (node: NodeContext, input: MediaCommandPayload<C>) => Promise<MediaReplies[C]>;
};

const handlers: Handlers = {
  'carrier:answer': carrierAnswer,
  'carrier:reject': carrierReject,
  'carrier:dial': carrierDial,
  'agent:connect': agentConnect,
  'whatsapp:offer': whatsAppOffer,
  'whatsapp:remote': whatsAppRemote,
  'whatsapp:answer': whatsAppAnswer,
  'whatsapp:open': whatsAppOpen,
  'leg:hangup': legHangup,
  'leg:dtmf': legDtmf,
  'call:route': callRoute,
  'call:release': callRelease,
  'trunk:ping': trunkPing,
  'trunk:register': trunkRegister,
  'trunk:unregister': trunkUnregister,
  'trunk:checkup': trunkCheckup,
};

/** Validates one command, runs it and returns the reply. Never throws. */
export async function runCommand<C extends MediaCommand>(
  node: NodeContext,
  command: C,
  payload: unknown,
): Promise<MediaAck<object>> {
  const parsed = mediaCommands[command].safeParse(payload);
  if (!parsed.success) {
    return { ok: false, error: { code: 'invalid_command', message: parsed.error.message } };
  }
  try {
    const input = parsed.data as MediaCommandPayload<C>;
    const run = () => handlers[command](node, input);
    const key = 'legId' in input ? input.legId : 'callId' in input ? `call ${input.callId}` : null;
    // Commands of trunks only send requests, which may overtake one another.
    const reply = await (key === null ? run() : node.commandMutex.run(key, run));
    return { ok: true, ...reply };
  } catch (error) {
    if (error instanceof CommandError) {
      node.log.info({ command, code: error.code, message: error.message }, 'command rejected');
      return { ok: false, error: { code: error.code, message: error.message } };
    }
    node.log.error({ command, err: error }, 'command failed');
    return { ok: false, error: { code: 'internal', message: 'the command failed' } };
  }
}
