/** Sends emails to the operator's mail server. */
import type { Transport } from '@clarion/core/mail/send-mail';
import nodemailer from 'nodemailer';

/** A mail server that does not respond must not occupy a slot of the worker: the job is retried anyway. */
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
    // Emails are plain text created by us. Nothing in them may make nodemailer read a file or a URL.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async (mail) => {
    await server.sendMail({ from: mailFrom, ...mail });
  };
}
