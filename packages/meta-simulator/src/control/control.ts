/** What a test or a page does to the simulated world. The HTTP control API is a thin layer over this class. */
import type { GraphFault } from '../graph/faults.ts';
import type { GraphServer } from '../graph/server.ts';
import type { CustomerAudio, Heard } from '../media/customer-media.ts';
import type { GraphErrorCode } from '../protocol/errors.ts';
import type { Fault, NewFault } from '../webhooks/schedule.ts';
import type { CallBook } from '../world/call-book.ts';
import { isLive, viewOf, type CallView } from '../world/call.ts';
import type { Journal } from '../world/journal.ts';
import type { BusinessNumber, Customer, NewNumber } from '../world/people.ts';
import type { CustomerDecision, PermissionBook } from '../world/permission-book.ts';
import { ControlError, type NewCustomer, type World } from '../world/world.ts';

export type CustomerChange = Partial<Omit<NewCustomer, 'waId' | 'userId'>>;

export class MetaControl {
  readonly #world: World;
  readonly #calls: CallBook;
  readonly #permissions: PermissionBook;
  readonly #graph: GraphServer;
  /** How many pages a customer speaks in. */
  readonly #pages = new Map<Customer, number>();

  constructor(world: World, calls: CallBook, permissions: PermissionBook, graph: GraphServer) {
    this.#world = world;
    this.#calls = calls;
    this.#permissions = permissions;
    this.#graph = graph;
  }

  get journal(): Journal {
    return this.#world.journal;
  }

  get customers(): readonly Customer[] {
    return this.#world.customers;
  }

  addNumber(input: NewNumber): BusinessNumber {
    return this.#world.addNumber(input);
  }

  addCustomer(input: NewCustomer): Customer {
    return this.#world.addCustomer(input);
  }

  changeCustomer(ref: string, change: CustomerChange): Customer {
    const customer = this.#world.customer(ref);
    const { behaviour, ...rest } = change;
    Object.assign(customer, rest, { behaviour: { ...customer.behaviour, ...behaviour } });
    return customer;
  }

  /** The customer's audio is in a web page until the returned function is called, which also ends the customer's calls. */
  speakInPage(ref: string): () => void {
    const customer = this.#world.customer(ref);
    const pages = (this.#pages.get(customer) ?? 0) + 1;
    this.#pages.set(customer, pages);
    customer.speaksInPage = true;
    return () => {
      const left = (this.#pages.get(customer) ?? 0) - 1;
      this.#pages.set(customer, left);
      if (left > 0) return;
      customer.speaksInPage = false;
      for (const call of this.#calls.all)
        if (call.customer === customer && call.media.fromPage && isLive(call))
          this.#calls.hangUpByCustomer(call);
    };
  }

  calls(): CallView[] {
    return this.#calls.all.map(viewOf);
  }

  call(id: string): CallView {
    return viewOf(this.#calls.get(id));
  }

  /** A customer calls a business number, the first one if none is named. */
  async placeCall(customerRef: string, phoneNumberId?: string): Promise<CallView> {
    const number = this.#world.number(phoneNumberId);
    return viewOf(await this.#calls.placeCall(number, this.#world.customer(customerRef)));
  }

  answer(id: string): CallView {
    this.#calls.answer(this.#calls.get(id));
    return this.call(id);
  }

  decline(id: string): CallView {
    this.#calls.decline(this.#calls.get(id));
    return this.call(id);
  }

  hangUp(id: string): CallView {
    this.#calls.hangUpByCustomer(this.#calls.get(id));
    return this.call(id);
  }

  /** Ends a call with an error in the terminate webhook. */
  fail(id: string, code: GraphErrorCode): CallView {
    this.#calls.fail(this.#calls.get(id), code);
    return this.call(id);
  }

  async sendDigits(id: string, digits: string): Promise<void> {
    if (!/^[0-9*#A-D]+$/i.test(digits)) throw new ControlError('digits must be 0-9, *, # or A-D', 400);
    const call = this.#calls.get(id);
    if (call.state !== 'accepted') throw new ControlError(`cannot send digits: the call is ${call.state}`);
    await call.media.sendDigits(digits);
  }

  play(id: string, audio: CustomerAudio): void {
    this.#calls.get(id).media.play(audio);
  }

  /** The SDP of the page in which the customer speaks: what the last `media` entry of the journal asked for. */
  fromPage(id: string, sdp: string): void {
    const { media } = this.#calls.get(id);
    if (!media.fromPage) throw new ControlError('the customer of this call does not speak in a page');
    media.fromPage(sdp);
  }

  /** What the customer plays in calls to come. */
  setAudio(customerRef: string, audio: CustomerAudio): void {
    this.#world.customer(customerRef).audio = audio;
  }

  async heard(id: string): Promise<Heard> {
    return this.#calls.get(id).media.heard();
  }

  interrupt(id: string, what: 'media' | 'consent', interrupted: boolean): void {
    this.#calls.get(id).media.interrupt(what, interrupted);
  }

  /** The customer answers a permission request, or changes the permission in the business's profile. */
  decidePermission(customerRef: string, decision: CustomerDecision, phoneNumberId?: string): void {
    const customer = this.#world.customer(customerRef);
    this.#permissions.decide(this.#world.number(phoneNumberId), customer, decision);
  }

  permissionOf(customerRef: string, phoneNumberId?: string): string {
    const customer = this.#world.customer(customerRef);
    return this.#permissions.status(this.#world.number(phoneNumberId), customer).status;
  }

  webhookFaults(): readonly Fault[] {
    return this.#world.webhooks.faults;
  }

  addWebhookFault(fault: NewFault): Fault {
    return this.#world.webhooks.addFault(fault);
  }

  clearWebhookFaults(): void {
    this.#world.webhooks.clearFaults();
  }

  graphFaults(): readonly GraphFault[] {
    return this.#graph.faults;
  }

  addGraphFault(fault: GraphFault): void {
    this.#graph.faults = [...this.#graph.faults, fault];
  }

  clearGraphFaults(): void {
    this.#graph.faults = [];
  }

  /** Moves the clock forward: deadlines and permissions expire, and late webhooks are sent. */
  advance(ms: number): void {
    this.#world.clock.advance(ms);
  }

  state(): object {
    return {
      now: new Date(this.#world.clock.now()).toISOString(),
      numbers: this.#world.numbers,
      customers: this.customers.map((customer) => ({
        ...customer,
        audio: customer.audio.kind,
        permission: this.#permissions.status(this.#world.number(undefined), customer),
      })),
      calls: this.calls(),
      webhookFaults: this.webhookFaults(),
      graphFaults: this.graphFaults(),
    };
  }
}
