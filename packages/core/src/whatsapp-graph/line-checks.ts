/** The checklist of a WhatsApp line: what Meta reports, as sentences that say what to do next. Pure. */
import type { WhatsAppCheck, WhatsAppCheckResult } from '@clarion/protocol/v1/tenant/whatsapp-status';
import type { CallingSettings, PhoneNumberInfo } from './graph-bodies.ts';
import { kindOfGraphError, messageOfGraphError, messageOfSilence } from './graph-errors.ts';
import type { GraphError, GraphSilence } from './graph-errors.ts';

/** What a request to the Graph API returned. */
export type Reading<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'refused'; error: GraphError }
  | { kind: 'silent'; silence: GraphSilence };

/** Null: not requested, because the line has no access token. */
export interface LineReading {
  number: Reading<PhoneNumberInfo> | null;
  settings: Reading<CallingSettings> | null;
}

export interface LineFacts {
  /** The address of the line. */
  address: string;
  reading: LineReading;
  lastWebhookAt: Date | null;
  /** For how long webhooks are known. */
  webhookDays: number;
}

type Finding = Omit<WhatsAppCheckResult, 'check'>;

const ok = (message: string): Finding => ({ state: 'OK', message, fix: null });
const warning = (message: string, fix: string): Finding => ({ state: 'WARNING', message, fix });
const failed = (message: string, fix: string): Finding => ({ state: 'FAILED', message, fix });
const unknown = (message: string, fix: string | null = null): Finding => ({ state: 'UNKNOWN', message, fix });

const SAVE_TOKEN =
  'Create a token of a system user in the business settings at Meta, with the permissions whatsapp_business_messaging and whatsapp_business_management, and save it in the line.';
const CHECK_AGAIN = 'Check again in a few minutes.';
const CALL_SETTINGS = 'in the call settings of the number in the WhatsApp Manager';

export function lineChecks(facts: LineFacts): WhatsAppCheckResult[] {
  const { number, settings } = facts.reading;
  const findings: Record<WhatsAppCheck, Finding> = {
    ACCESS_TOKEN: tokenFinding(facts.reading),
    NUMBER: found(number, (value) => numberFinding(value, facts.address)),
    CALLING: found(settings, callingFinding),
    WEBHOOK: webhookFinding(facts),
    CALL_ICON: found(settings, iconFinding),
    CALLBACK_PERMISSION: found(settings, callbackFinding),
  };
  return (Object.keys(findings) as WhatsAppCheck[]).map((check) => ({ check, ...findings[check] }));
}

function tokenFinding({ number, settings }: LineReading): Finding {
  if (number === null || settings === null) return failed('The line has no access token.', SAVE_TOKEN);
  const readings = [number, settings];
  for (const reading of readings) {
    if (reading.kind === 'refused' && kindOfGraphError(reading.error) === 'credentials')
      return failed('WhatsApp rejected the access token, or the token lacks a permission.', SAVE_TOKEN);
  }
  if (readings.some(({ kind }) => kind === 'ok')) return ok('WhatsApp accepts the access token.');
  return unknown(
    number.kind === 'silent'
      ? messageOfSilence(number.silence)
      : 'WhatsApp did not say whether it accepts it.',
    CHECK_AGAIN,
  );
}

/** The finding about what was read, or why it was not read. */
function found<T>(reading: Reading<T> | null, of: (value: T) => Finding): Finding {
  if (reading === null) return unknown('This is checked when the line has an access token.');
  return reading.kind === 'ok' ? of(reading.value) : notRead(reading);
}

function notRead(reading: Exclude<Reading<unknown>, { kind: 'ok' }>): Finding {
  if (reading.kind === 'silent') return unknown(messageOfSilence(reading.silence), CHECK_AGAIN);
  const message = messageOfGraphError(reading.error);
  switch (kindOfGraphError(reading.error)) {
    case 'credentials':
      return unknown('This is checked when the access token works.');
    case 'line':
      return failed(message, 'Compare the phone number ID of the line with the WhatsApp Manager.');
    default:
      return unknown(message, CHECK_AGAIN);
  }
}

const digitsOf = (number: string) => number.replaceAll(/\D/g, '');

function numberFinding(value: PhoneNumberInfo, address: string): Finding {
  const { displayPhoneNumber, verifiedName, qualityRating, status } = value;
  const name = verifiedName === null ? '' : ` with the verified name ${verifiedName}`;
  if (digitsOf(displayPhoneNumber) !== digitsOf(address)) {
    return warning(
      `The phone number ID belongs to ${displayPhoneNumber}${name}, but the number of the line is ${address}.`,
      'Correct the number or the phone number ID of the line.',
    );
  }
  if (status !== null && status !== 'CONNECTED') {
    return failed(
      `WhatsApp reports the number ${displayPhoneNumber} as ${status}.`,
      'Open the number in the WhatsApp Manager and follow the steps that it shows.',
    );
  }
  if (qualityRating === 'RED') {
    return warning(
      `Customers give the number ${displayPhoneNumber} a low quality rating, so WhatsApp may restrict it.`,
      'Write to and call only customers who expect it.',
    );
  }
  return ok(`The number is ${displayPhoneNumber}${name}.`);
}

function callingFinding({ enabled, sipEnabled, srtpKeyExchange }: CallingSettings): Finding {
  if (enabled === false)
    return failed('Calling is not enabled for the number.', `Enable calling ${CALL_SETTINGS}.`);
  if (sipEnabled === true) {
    return failed(
      'Calls of the number go to a SIP server, so they never reach this service.',
      'Disable SIP in the calling settings of the number at Meta.',
    );
  }
  if (srtpKeyExchange !== null && srtpKeyExchange !== 'DTLS') {
    return failed(
      `The number exchanges its audio keys with ${srtpKeyExchange}, which this service does not support.`,
      'Set srtp_key_exchange_protocol to DTLS in the calling settings of the number at Meta.',
    );
  }
  return enabled === null
    ? unknown('WhatsApp did not report whether calling is enabled.', CHECK_AGAIN)
    : ok('Calling is enabled for the number.');
}

function iconFinding({ iconVisible }: CallingSettings): Finding {
  if (iconVisible === null) return unknown('WhatsApp did not report whether customers see the call button.');
  return iconVisible
    ? ok('Customers see the call button in the chat with the number.')
    : warning(
        'Customers do not see the call button in the chat with the number.',
        `Show the call button ${CALL_SETTINGS}.`,
      );
}

function callbackFinding({ callbackPermission }: CallingSettings): Finding {
  if (callbackPermission === null)
    return unknown('WhatsApp did not report whether it asks customers for permission to call back.');
  return callbackPermission
    ? ok('WhatsApp asks customers who call whether you may call them back.')
    : warning(
        'WhatsApp does not ask customers who call whether you may call them back.',
        `Enable the callback permission ${CALL_SETTINGS}, or ask each customer for permission.`,
      );
}

function webhookFinding({ lastWebhookAt, webhookDays }: LineFacts): Finding {
  return lastWebhookAt === null
    ? unknown(
        `No webhook of a call has arrived in the last ${webhookDays} days. That is normal if there were no calls.`,
        'Call the number from WhatsApp to test it. If this does not change, subscribe the WhatsApp app to calls, and forward its webhooks to this service or point them to it.',
      )
    : ok(`A webhook of a call arrived in the last ${webhookDays} days.`);
}
