/**
 * WhatsApp for the demo account: a simulator of Meta's side with the number of its WhatsApp line and two customers. A person plays one of
 * them in the simulator's page; `npm run call -- --whatsapp` calls as the other. Both allow calls.
 */
import { demo } from '@clarion/core/demo-account';
import { startMetaSimulator } from '@clarion/meta-simulator';
import { progressLine } from '@clarion/meta-simulator/cli/progress';

const { env } = process;
const { phoneNumberId, accessToken, address, displayName, customers } = demo.whatsapp;
const say = (line: string) => void process.stdout.write(`${line}\n`);

const simulator = await startMetaSimulator({
  webhookUrl: `${env.CLARION_BASE_URL}/webhooks/whatsapp`,
  appSecret: env.CLARION_WHATSAPP_APP_SECRET ?? '',
  verifyToken: env.CLARION_WHATSAPP_VERIFY_TOKEN ?? '',
  accessTokens: [accessToken],
  numbers: [{ phoneNumberId, displayPhoneNumber: address.slice(1), verifiedName: displayName }],
  customers: Object.values(customers).map(({ number, name }) => ({ waId: number, name })),
  port: Number(env.CLARION_META_SIMULATOR_PORT),
  controlPort: Number(env.CLARION_META_SIMULATOR_CONTROL_PORT),
});
simulator.control.journal.subscribe((entry) => {
  const line = progressLine(entry);
  if (line !== null) say(line);
});
// Permissions are reported by webhook only, so they have to wait until web listens.
void simulator.verified.then(() => {
  for (const { number } of Object.values(customers))
    simulator.control.decidePermission(number, 'accept_permanently');
});

const stop = () => void simulator.close().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
