/** A scene whose customers use the telephone: behind a carrier on a SIP trunk. */
import type { Behaviour, CallOptions, PhoneOptions, SipPhone } from '@clarion/test-phone/sip/phone';
import type { SipCall } from '@clarion/test-phone/sip/call';
import type { TestStack } from '@clarion/testkit/stack/stack';
import { line } from '@clarion/testkit/stack/call-centre';
import { Scene } from './scene.ts';

export const CUSTOMER = '441632960123';

/** By the called number. */
const customers = new Map<string, { behaviour: Behaviour; taken: (call: SipCall) => void }>();

/** Makes the carrier's far end behave as each row specified for its customer. */
export function routeCustomers({ carrier }: TestStack): void {
  carrier.onCall = (call) => customers.get(call.called)?.taken(call);
  carrier.behaviour = (call) => customers.get(call.called)?.behaviour ?? { do: 'answer' };
}

export class PhoneScene extends Scene<SipCall> {
  /** Places inbound calls. */
  readonly phone: SipPhone;

  private constructor(t: TestStack, phone: SipPhone) {
    super(t);
    this.phone = phone;
  }

  static async open(t: TestStack, phone: PhoneOptions = {}): Promise<PhoneScene> {
    const scene = new PhoneScene(t, await t.phone(phone));
    await scene.create();
    return scene;
  }

  /** The number of the customer who can be called. */
  get number(): string {
    return `44207946${String(2000 + this.index)}`;
  }

  override line(ref: string, body: Record<string, unknown>): Promise<string> {
    return line(this.t, ref, body, { tenant: this.tenant });
  }

  override dialIn(number: string, options: CallOptions = {}): Promise<SipCall> {
    return this.phone.call(number, this.t.sip, { from: CUSTOMER, ...options });
  }

  protected override customer(_: string, behaviour: Behaviour) {
    const taken = new Promise<SipCall>((resolve) =>
      customers.set(this.number, { behaviour, taken: resolve }),
    );
    return { address: `+${this.number}`, taken };
  }
}
