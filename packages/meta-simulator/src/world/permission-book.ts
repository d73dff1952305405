/** Call permissions of all pairs: requests of the business, replies of customers, what calls do to them. */
import { newMessageId } from '../ids.ts';
import { GraphError } from '../protocol/errors.ts';
import {
  assertMayCall,
  connected,
  describePair,
  grant,
  newPair,
  permissionAt,
  requestPermission,
  revoke,
  unanswered,
  type Pair,
  type Permission,
} from '../protocol/permissions.ts';
import type { BusinessNumber, Customer } from './people.ts';
import { permissionReplyValue, type PermissionReply } from './values.ts';
import type { World } from './world.ts';

export type CustomerDecision = 'accept' | 'accept_permanently' | 'reject' | 'revoke';

export class PermissionBook {
  readonly #world: World;
  readonly #pairs = new Map<string, Pair>();
  /** The last request to a pair that the customer has not answered. */
  readonly #open = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  status(number: BusinessNumber, customer: Customer): Permission {
    return permissionAt(this.#pair(number, customer), this.#world.clock.now());
  }

  describe(number: BusinessNumber, customer: Customer): object {
    return describePair(this.#pair(number, customer), this.#world.clock.now(), this.#world.limits);
  }

  /** Throws 138006 or 138012. */
  assertMayCall(number: BusinessNumber, customer: Customer): void {
    assertMayCall(this.#pair(number, customer), this.#world.clock.now(), this.#world.limits);
  }

  /** A request of the business; returns the ID of its message. */
  request(number: BusinessNumber, customer: Customer, text: string): string {
    if (!customer.windowOpen)
      throw new GraphError(131047, 'More than 24 hours have passed since the customer last wrote or called.');
    const pair = requestPermission(this.#pair(number, customer), this.#world.clock.now(), this.#world.limits);
    const id = newMessageId();
    this.#set(number, customer, pair);
    this.#open.set(key(number, customer), id);
    this.#world.journal.record({ type: 'permission_request', customer: customer.waId, text });
    const { onPermissionRequest, afterMs } = customer.behaviour;
    if (onPermissionRequest !== 'manual')
      this.#world.clock.after(afterMs, () => this.decide(number, customer, onPermissionRequest));
    return id;
  }

  /** The customer answers the last request, or acts in the business's profile. */
  decide(number: BusinessNumber, customer: Customer, decision: CustomerDecision): void {
    const contextId = this.#open.get(key(number, customer)) ?? null;
    this.#open.delete(key(number, customer));
    this.#change(number, customer, decision, { source: 'user_action', contextId });
  }

  /** A customer who calls gives permission to be called back, if the number has that setting. */
  customerCalled(number: BusinessNumber, customer: Customer, callId: string): void {
    if (number.settings.callback_permission_status !== 'ENABLED') return;
    if (this.status(number, customer).status !== 'no_permission') return;
    this.#change(number, customer, 'accept', { source: 'automatic', contextId: callId });
  }

  callConnected(number: BusinessNumber, customer: Customer, businessInitiated: boolean): void {
    const pair = connected(this.#pair(number, customer), businessInitiated, this.#world.clock.now());
    this.#set(number, customer, pair);
  }

  callUnanswered(number: BusinessNumber, customer: Customer, callId: string): void {
    const { pair, outcome } = unanswered(this.#pair(number, customer), this.#world.limits);
    this.#set(number, customer, pair);
    if (outcome === 'reconsider')
      this.#world.journal.record({ type: 'reconsider_prompt', customer: customer.waId });
    if (outcome === 'revoked')
      this.#change(number, customer, 'revoke', { source: 'automatic', contextId: callId });
  }

  #change(
    number: BusinessNumber,
    customer: Customer,
    decision: CustomerDecision,
    { source, contextId }: Pick<PermissionReply, 'source' | 'contextId'>,
  ): void {
    const { clock, limits, journal } = this.#world;
    const before = this.#pair(number, customer);
    const isGrant = decision === 'accept' || decision === 'accept_permanently';
    const pair = isGrant
      ? grant(before, decision === 'accept_permanently', clock.now(), limits)
      : revoke(before);
    this.#set(number, customer, pair);
    const { permission } = pair;
    journal.record({ type: 'permission', customer: customer.waId, status: permission.status });
    const response = isGrant ? 'accept' : 'reject';
    const reply = { response, source, permission, contextId } as const;
    const value = permissionReplyValue(number, customer, reply, newMessageId(), clock.now());
    this.#world.publish(number, 'permission_reply', customer.waId, value);
  }

  #pair(number: BusinessNumber, customer: Customer): Pair {
    return this.#pairs.get(key(number, customer)) ?? newPair;
  }

  #set(number: BusinessNumber, customer: Customer, pair: Pair): void {
    this.#pairs.set(key(number, customer), pair);
  }
}

const key = ({ phoneNumberId }: BusinessNumber, { waId }: Customer): string => `${phoneNumberId} ${waId}`;
