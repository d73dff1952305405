export { TestBrowser, BrowserPage } from './browser.ts';
export { decode, encode, payloadTypes, type Law } from './g711.ts';
export {
  findGaps,
  firstHeardMs,
  meanPower,
  measureSteadyTone,
  measureTone,
  sine,
  tonePower,
} from './goertzel.ts';
export { RtpPort, RtpStream, streamQuality, toSamples, type Heard, type StreamQuality } from './rtp-tone.ts';
export { RefusedMessage, ScriptedAgent } from './scripted-agent.ts';
export { SdkAgent, SdkSite } from './sdk-page.ts';
export { SipCall, describeEnd, type CallEnd } from './sip-call.ts';
export { SipPhone, type Behaviour, type PhoneOptions } from './sip-caller.ts';
export { audioKeys, startSipp } from './sipp.ts';
export { TestStack, type Account, type RealtimeName } from './stack.ts';
export { pressKeys } from './telephone-event.ts';
export { signToken, type SigningKey } from './token.ts';
export { V1Client } from './v1-client.ts';
export { WebRtcLeg } from './webrtc-leg.ts';
export { startWebhookReceiver, type Delivery, type WebhookReceiver } from './webhook-receiver.ts';
