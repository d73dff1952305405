import { expect, test } from 'vitest';
import { HELP, parseOptions } from './options.ts';

const required = [
  ...['--webhook-url', 'http://127.0.0.1:3000/webhooks/whatsapp', '--app-secret', 's'],
  ...['--access-token', 't', '--phone-number-id', '1'],
];

test('the ports have defaults, and options may be repeated', () => {
  const options = parseOptions([...required, '--customer', '15550001', '--customer', '15550002']);
  expect(options).toMatchObject({ port: 4620, controlPort: 4621, customers: ['15550001', '15550002'] });
});

test.each([
  [[], '--webhook-url is required'],
  [['--webhook-url', 'ftp://x'], '--webhook-url must be'],
  [required.slice(0, 4), '--access-token is required'],
  [[...required, '--port', '70000'], '--port must be'],
  [[...required, '--answer-after', 'soon'], '--answer-after must be'],
  [['--nonsense'], '--nonsense'],
])('%j is refused: %s', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});

test('the help names every option', () => {
  expect(parseOptions(['--help'])).toBeNull();
  for (const name of ['webhook-url', 'app-secret', 'verify-token', 'control-port', 'media-address'])
    expect(HELP).toContain(`--${name} `);
});
