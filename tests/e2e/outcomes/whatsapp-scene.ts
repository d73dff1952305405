/** A scene whose customers are on WhatsApp. Each call has a customer of its own, because a customer has one call with a number at a time. */
import type { Behaviour } from '@clarion/test-phone/sip/phone';
import type { TestStack } from '@clarion/testkit/stack/stack';
import type { WhatsAppCall } from '@clarion/testkit/peers/whatsapp-customer';
import { whatsAppLine } from '@clarion/testkit/stack/call-centre';
import { Scene } from './scene.ts';

export class WhatsAppScene extends Scene<WhatsAppCall> {
  /** Phone number IDs, by the line's ref. */
  readonly #lines = new Map<string, string>();

  /** Called with the phone number ID of each new line, before calls use it. */
  onNumber: (phoneNumberId: string) => void = () => undefined;

  get numbers(): string[] {
    return [...this.#lines.values()];
  }

  static async open(t: TestStack): Promise<WhatsAppScene> {
    const scene = new WhatsAppScene(t);
    await scene.create();
    return scene;
  }

  /** A line keeps its number at WhatsApp, because calls in progress belong to it. */
  override async line(ref: string, body: Record<string, unknown>): Promise<string> {
    const known = this.#lines.get(ref);
    if (known !== undefined) return known;
    const number = await whatsAppLine(this.t, ref, body, { tenant: this.tenant });
    this.#lines.set(ref, number);
    this.onNumber(number);
    return number;
  }

  override dialIn(number: string): Promise<WhatsAppCall> {
    return this.t.meta.addCustomer().call(number);
  }

  /** The customer has allowed calls. */
  protected override customer(main: string, { do: does }: Behaviour) {
    const onCall = does === 'answer' ? 'answer' : 'ignore';
    const customer = this.t.meta.addCustomer({ behaviour: { onCall } });
    customer.allow(main);
    return { address: `+${customer.waId}`, taken: customer.nextCall(main) };
  }
}
