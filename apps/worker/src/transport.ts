/** The mail server that the operator named. */
import type { Transport } from '@clarion/core/mail/send-mail';
import nodemailer from 'nodemailer';

/** A server that does not answer must not hold a worker's slot: the job is tried again anyway. */
const CONNECT_TIMEOUT_MS = 10_000;
const SOCKET_TIMEOUT_MS = 30_000;

export function createTransport({
  smtpUrl,
  mailFrom,
}: {
  smtpUrl: string | null;
  mailFrom: string;
}): Transport | null {
  if (smtpUrl === null) return null;
  const server = nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: CONNECT_TIMEOUT_MS,
    greetingTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SOCKET_TIMEOUT_MS,
    // A mail is text that was made here: nothing in it may make the server fetch a file or an address.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (mail) => {
    await server.sendMail({ from: mailFrom, ...mail });
  };
}
