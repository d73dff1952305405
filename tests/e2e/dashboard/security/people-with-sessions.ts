/** Dashboard users with sessions, created without its pages. */
import { randomBytes } from 'node:crypto';
import { createSecretBox } from '@clarion/core/security/secret-box';
import { openSession } from '@clarion/core/session/open-session';
import { hashPassword } from '@clarion/core/staff/password';
import type { Role } from '@clarion/testkit/stack/dashboard';
import type { TestStack } from '@clarion/testkit/stack/stack';

export const COOKIE = 'clarion-session';
export const PASSWORD = 'quiet harbour lantern 7';
const device = { userAgent: 'a test', address: '127.0.0.1' };

interface More {
  twoFactorRequired?: boolean;
}

/** People of the stack's account. Launched people belong to the tenant `tenantRef`. */
export class People {
  readonly #t: TestStack;
  readonly #tenantRef: string;

  constructor(t: TestStack, tenantRef: string) {
    this.#t = t;
    this.#tenantRef = tenantRef;
  }

  get secretBox() {
    const [first = '', ...older] = (this.#t.stack.env.CLARION_MASTER_KEY ?? '').split(',');
    return createSecretBox([first, ...older]);
  }

  async make(role: Role, more: More = {}) {
    const { id: consumerId } = await this.#account();
    const email = `${role.toLowerCase()}-${randomBytes(4).toString('hex')}@acme.test`;
    const passwordHash = await hashPassword(PASSWORD);
    const data = { consumerId, role, name: role, email, passwordHash, createdAt: new Date(), ...more };
    return this.#t.db.staffUser.create({ data });
  }

  /** Creates a person with a session. @returns the session cookie */
  async staff(role: Role, more: More = {}): Promise<string> {
    const { id: staffUserId, consumerId } = await this.make(role, more);
    return this.#session({ consumerId, role, name: role, staffUserId, tenantId: null, userRef: null });
  }

  async launched(role: Role): Promise<string> {
    const { id: consumerId } = await this.#account();
    const { id: tenantId } = await this.#t.db.tenant.findUniqueOrThrow({
      where: { consumerId_ref: { consumerId, ref: this.#tenantRef } },
    });
    return this.#session({ consumerId, role, name: role, staffUserId: null, tenantId, userRef: 'u' });
  }

  #account() {
    return this.#t.db.consumer.findUniqueOrThrow({ where: { slug: this.#t.account.slug } });
  }

  async #session(who: Omit<Parameters<typeof openSession>[1], 'signingKeyId'>): Promise<string> {
    const at = { db: this.#t.db, now: new Date() };
    const opened = await openSession(at, { ...who, signingKeyId: null }, device);
    return `${COOKIE}=${this.secretBox.seal('dashboard-session', opened.secret)}`;
  }
}
