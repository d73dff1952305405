import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createTransport } from './transport.ts';

/** The part of SMTP (RFC 5321) that one email needs. */
async function mailServer(answerToData: string): Promise<{ url: string; taken: string[]; stop(): void }> {
  const taken: string[] = [];
  const server = createServer((socket) => {
    let text: string | null = null;
    let rest = '';
    socket.on('error', () => undefined);
    socket.write('220 mail.test\r\n');
    socket.on('data', (chunk) => {
      rest += chunk.toString('utf8');
      for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
        const line = rest.slice(0, at);
        rest = rest.slice(at + 2);
        if (text !== null) {
          if (line !== '.') text += `${line}\n`;
          else {
            taken.push(text);
            text = null;
            socket.write(`${answerToData}\r\n`);
          }
        } else if (line === 'DATA') {
          text = '';
          socket.write('354 go on\r\n');
        } else if (line === 'QUIT') socket.end('221 bye\r\n');
        else socket.write('250 ok\r\n');
      }
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return { url: `smtp://127.0.0.1:${port}`, taken, stop: () => server.close() };
}

const mail = {
  to: 'ada@acme.test',
  subject: 'Your invitation to Acme\r\nBcc: everybody@acme.test',
  text: 'Hello Zoë,\n\nhttps://calls.example.com/app/invitation#token=abc\n',
};

test('an email reaches the configured mail server, with the configured sender', async () => {
  const server = await mailServer('250 queued');
  const send = createTransport({ smtpUrl: server.url, mailFrom: 'Clarion <clarion@example.com>' });
  await send?.(mail);
  const [text = ''] = server.taken;
  expect(text).toContain('From: Clarion <clarion@example.com>');
  expect(text).toContain('To: ada@acme.test');
  expect(text, 'a subject is one line, whatever the name of an account').not.toMatch(/^Bcc:/m);
  server.stop();
});

test('an email that the server rejects throws, so that the job is retried', async () => {
  const server = await mailServer('451 later');
  const send = createTransport({ smtpUrl: server.url, mailFrom: 'clarion@example.com' });
  await expect(send?.(mail)).rejects.toThrow(/451/);
  server.stop();
});

test('without a mail server there is no transport', () => {
  expect(createTransport({ smtpUrl: null, mailFrom: 'x' })).toBeNull();
});
