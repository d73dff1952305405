/** What exists in the simulation, and what its parts share: the clock, the numbers, the customers, the journal, the webhooks. */
import { newUserId } from '../ids.ts';
import type { Clock } from '../clock.ts';
import { GraphError } from '../protocol/errors.ts';
import { defaultSettings } from '../protocol/settings.ts';
import type { MediaTimeouts } from '../protocol/media-watchdog.ts';
import type { PermissionLimits } from '../protocol/permissions.ts';
import type { Recipient } from '../protocol/requests.ts';
import type { CustomerMediaFactory } from '../media/customer-media.ts';
import type { EventKind } from '../webhooks/schedule.ts';
import type { Webhooks } from '../webhooks/webhooks.ts';
import type { Journal } from './journal.ts';
import {
  defaultBehaviour,
  type Behaviour,
  type BusinessNumber,
  type Customer,
  type NewNumber,
} from './people.ts';

export interface WorldLimits extends PermissionLimits {
  readonly concurrentCalls: number;
  /** Outbound calls of a number in 24 hours. */
  readonly connectsPerDay: number;
}

export interface WorldTimeouts extends MediaTimeouts {
  /** From the connect webhook until the business accepts: Meta gives 30 to 60 s. */
  readonly acceptMs: number;
  /** How long a customer's phone rings. */
  readonly ringMs: number;
  /** From the connect request until the customer's phone rings. */
  readonly ringingAfterMs: number;
}

export interface NewCustomer {
  readonly waId: string;
  readonly userId?: string;
  readonly name?: string;
  readonly username?: string | null;
  readonly hidesNumber?: boolean;
  readonly windowOpen?: boolean;
  readonly reachable?: boolean;
  readonly speaksInPage?: boolean;
  readonly behaviour?: Partial<Behaviour>;
}

/** A request of the control API that names something unknown or impossible now. */
export class ControlError extends Error {
  readonly http: number;

  constructor(message: string, http = 409) {
    super(message);
    this.http = http;
  }
}

export interface WorldParts {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly webhooks: Webhooks;
  readonly media: CustomerMediaFactory;
  /** For customers whose audio is in a web page. */
  readonly pageMedia: CustomerMediaFactory;
  readonly limits: WorldLimits;
  readonly timeouts: WorldTimeouts;
  /** Whether webhooks of a new number's account are sent to the app. */
  readonly subscribed: boolean;
}

export class World {
  readonly clock: Clock;
  readonly journal: Journal;
  readonly webhooks: Webhooks;
  readonly media: CustomerMediaFactory;
  readonly pageMedia: CustomerMediaFactory;
  readonly limits: WorldLimits;
  readonly timeouts: WorldTimeouts;
  readonly numbers: BusinessNumber[] = [];
  readonly customers: Customer[] = [];
  readonly #subscribed: boolean;

  constructor(parts: WorldParts) {
    this.clock = parts.clock;
    this.journal = parts.journal;
    this.webhooks = parts.webhooks;
    this.media = parts.media;
    this.pageMedia = parts.pageMedia;
    this.limits = parts.limits;
    this.timeouts = parts.timeouts;
    this.#subscribed = parts.subscribed;
  }

  addNumber(input: NewNumber): BusinessNumber {
    const { phoneNumberId } = input;
    if (this.numbers.some((each) => each.phoneNumberId === phoneNumberId))
      throw new ControlError(`phoneNumberId ${phoneNumberId} is already a business number`);
    const number: BusinessNumber = {
      phoneNumberId,
      wabaId: input.wabaId ?? `9${phoneNumberId}`,
      displayPhoneNumber:
        input.displayPhoneNumber ?? `1555010${String(this.numbers.length).padStart(4, '0')}`,
      verifiedName: input.verifiedName ?? 'Simulated business',
      qualityRating: input.qualityRating ?? 'GREEN',
      restrictions: input.restrictions ?? [],
      settings: { ...defaultSettings, ...input.settings } as BusinessNumber['settings'],
    };
    this.numbers.push(number);
    if (this.#subscribed) this.webhooks.subscribe(number.wabaId, null);
    return number;
  }

  addCustomer(input: NewCustomer): Customer {
    const { waId } = input;
    if (!/^\d{5,15}$/.test(waId)) throw new ControlError('waId must be digits without a plus sign', 400);
    if (this.customers.some((each) => each.waId === waId))
      throw new ControlError(`waId ${waId} is already a customer`);
    const customer: Customer = {
      waId,
      userId: input.userId ?? newUserId(),
      name: input.name ?? `Customer ${waId.slice(-4)}`,
      username: input.username ?? null,
      hidesNumber: input.hidesNumber ?? false,
      windowOpen: input.windowOpen ?? true,
      reachable: input.reachable ?? true,
      speaksInPage: input.speaksInPage ?? false,
      behaviour: { ...defaultBehaviour, ...input.behaviour },
      audio: { kind: 'silence' },
    };
    this.customers.push(customer);
    return customer;
  }

  /** By number or user ID. */
  customer(ref: string): Customer {
    const found = this.customers.find(({ waId, userId }) => waId === ref || userId === ref);
    if (!found) throw new ControlError(`no customer ${ref}`, 404);
    return found;
  }

  /** Throws 138001 for somebody who does not use WhatsApp. */
  recipient({ waId, userId }: Recipient): Customer {
    const found = this.customers.find((each) =>
      waId === null ? each.userId === userId : each.waId === waId,
    );
    if (!found?.reachable) throw new GraphError(138001, 'The recipient cannot receive WhatsApp calls.');
    return found;
  }

  number(phoneNumberId: string | undefined): BusinessNumber {
    const found =
      phoneNumberId === undefined
        ? this.numbers[0]
        : this.numbers.find((each) => each.phoneNumberId === phoneNumberId);
    if (!found) throw new ControlError(`no business number ${phoneNumberId}`, 404);
    return found;
  }

  publish(number: BusinessNumber, kind: EventKind, subject: string, value: object): void {
    const field = kind === 'permission_reply' ? 'messages' : 'calls';
    const { wabaId, phoneNumberId } = number;
    this.webhooks.publish({ kind, subject, wabaId, phoneNumberId, field, value });
    this.journal.record({ type: 'webhook', kind, subject });
  }
}
