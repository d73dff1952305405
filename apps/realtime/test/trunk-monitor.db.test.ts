/** Keepalive and registration of trunks: one node does it, stores what changes, and another takes over. */
import { createSecretBox } from '@clarion/core/security/secret-box';
import type { Prisma, SipTrunk, SipTrunkState } from '@clarion/db';
import type { TrunkPing, TrunkRegistration } from '@clarion/protocol';
import {
  carrierReplyOf,
  optionsReplyOf,
  registerReplyOf,
  type FakeMedia,
} from '@clarion/testkit/peers/fake-media';
import { describe, expect, test as base, vi } from 'vitest';
import { MASTER_KEY, RealtimeFixture } from './fixture.ts';

/** Read by tests/failure-catalogue.test.ts: every entry of the catalogue is produced by a test. */
export const producedFailures = ['registration_rejected', 'registration_no_response', 'registration_error'];

/** More than a confirmed ping, an expired registration or a takeover takes. */
const WAIT = { timeout: 18_000, interval: 50 };
const REGISTRAR = '198.41.0.4';

const registers = {
  register: true,
  username: 'acme',
  passwordSealed: createSecretBox([MASTER_KEY]).seal('trunk-password', 'secret'),
};

/** An account whose only trunks are those that the test adds. */
class Scene {
  readonly fixture: RealtimeFixture;
  #names = 0;

  constructor(fixture: RealtimeFixture) {
    this.fixture = fixture;
  }

  addTrunk(data: Partial<Prisma.SipTrunkUncheckedCreateInput> = {}): Promise<SipTrunk> {
    const name = `carrier-${++this.#names}`;
    return this.fixture.db.sipTrunk.create({
      data: {
        consumerId: this.fixture.consumer.id,
        name,
        ingressLabel: `acme-${name}`,
        host: REGISTRAR,
        status: 'ACTIVE',
        inboundSourceCidrs: ['198.41.0.0/28'],
        ...data,
      },
    });
  }

  stateOf(trunk: SipTrunk): Promise<SipTrunkState | null> {
    return this.fixture.db.sipTrunkState.findUnique({ where: { trunkId: trunk.id } });
  }
  async pingOf(trunk: SipTrunk) {
    return (await this.stateOf(trunk))?.ping as TrunkPing | null | undefined;
  }
  async registrationOf(trunk: SipTrunk) {
    return (await this.stateOf(trunk))?.registration as TrunkRegistration | null | undefined;
  }
  change(trunk: SipTrunk, data: Prisma.SipTrunkUpdateInput): Promise<SipTrunk> {
    return this.fixture.db.sipTrunk.update({ where: { id: trunk.id }, data });
  }
}

interface Fixtures {
  scene: Scene;
  /** One realtime node, and one media node that is connected to it. */
  one: { node: Awaited<ReturnType<RealtimeFixture['startNode']>>; media: FakeMedia };
}

/** The tests run concurrently, each with a database of its own: most of their time is waiting for the next ping or takeover. */
const test = base.extend<Fixtures>({
  scene: async ({ onTestFinished }, use) => {
    const fixture = await RealtimeFixture.create();
    onTestFinished(() => fixture.close());
    await fixture.db.sipTrunk.deleteMany();
    await use(new Scene(fixture));
  },
  one: async ({ scene: { fixture } }, use) => {
    const node = await fixture.startNode();
    await use({ node, media: await fixture.media([node]) });
  },
});

/** Commands for a trunk, oldest first. */
const commandsFor = (media: FakeMedia, trunk: SipTrunk) =>
  media.commands.filter(({ payload }) => 'target' in payload && payload.target.trunkId === trunk.id);
const namesOf = (media: FakeMedia, trunk: SipTrunk) =>
  commandsFor(media, trunk).map(({ command }) => command);

describe.concurrent('with one node', () => {
  test('an active trunk is pinged, and its state stored; others are not', async ({
    scene,
    one: { media },
  }) => {
    const [trunk, draft] = [await scene.addTrunk(), await scene.addTrunk({ status: 'DRAFT' })];
    await vi.waitFor(
      async () => expect(await scene.pingOf(trunk)).toMatchObject({ up: true, status: 200 }),
      WAIT,
    );
    const state = await scene.stateOf(trunk);
    expect(state?.upChangedAt?.toISOString()).toBe((await scene.pingOf(trunk))?.at);
    expect(state?.registration).toBeNull();
    expect(commandsFor(media, draft)).toEqual([]);
    await scene.change(draft, { status: 'ACTIVE' });
    await vi.waitFor(async () => expect(await scene.pingOf(draft)).toMatchObject({ up: true }), WAIT);
  });

  test('a carrier that was up is down after a second failed ping', async ({ scene, one: { media } }) => {
    const trunk = await scene.addTrunk();
    await vi.waitFor(async () => expect(await scene.pingOf(trunk)).toMatchObject({ up: true }), WAIT);
    media.carrier.ping = (target) => optionsReplyOf(target, { status: 503, reason: 'Overloaded' });
    // A changed trunk is pinged immediately.
    await scene.change(trunk, { port: 5070 });
    await vi.waitFor(
      async () => expect(await scene.pingOf(trunk)).toMatchObject({ up: false, status: 503 }),
      WAIT,
    );
    expect(namesOf(media, trunk)).toEqual(['trunk:ping', 'trunk:ping', 'trunk:ping']);
    media.carrier.ping = (target) => optionsReplyOf(target);
    const down = await scene.stateOf(trunk);
    await scene.change(trunk, { port: 5080 });
    await vi.waitFor(async () => expect(await scene.pingOf(trunk)).toMatchObject({ up: true }), WAIT);
    expect((await scene.stateOf(trunk))?.upChangedAt?.getTime()).toBeGreaterThan(
      down?.upChangedAt?.getTime() ?? 0,
    );
  });

  test('a further destination that responds keeps the trunk up', async ({ scene, one: { media } }) => {
    media.carrier.ping = (target) =>
      target.host === 'backup.carrier.example'
        ? optionsReplyOf(target)
        : optionsReplyOf(target, { status: null, error: 'None.', code: 'options_no_response' });
    const destinations = [{ host: 'backup.carrier.example', port: 5062, priority: 10, weight: 1 }];
    const trunk = await scene.addTrunk({ destinations });
    await vi.waitFor(
      async () =>
        expect(await scene.pingOf(trunk)).toMatchObject({
          up: true,
          target: 'sip:backup.carrier.example:5062;transport=udp',
        }),
      WAIT,
    );
    media.carrier.ping = (target) => optionsReplyOf(target);
  });

  test('a trunk registers with a contact that names it, and unregisters when it is disabled', async ({
    scene,
    one: { media },
  }) => {
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(
      async () =>
        expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED', code: null }),
      WAIT,
    );
    expect((await scene.stateOf(trunk))?.registeredAddress).toBe(REGISTRAR);
    const sent = commandsFor(media, trunk).find(({ command }) => command === 'trunk:register');
    expect(sent?.payload).toMatchObject({
      target: { username: 'acme', password: 'secret' },
      registration: { contactUser: trunk.ingressLabel },
    });
    await scene.change(trunk, { status: 'DISABLED' });
    await vi.waitFor(async () => expect(await scene.registrationOf(trunk)).toBeNull(), WAIT);
    expect((await scene.stateOf(trunk))?.registeredAddress).toBeNull();
    expect(namesOf(media, trunk).at(-1)).toBe('trunk:unregister');
  });

  test('a trunk that is enabled again while it unregisters registers afterwards', async ({
    scene,
    one: { media },
  }) => {
    const { promise: unregistered, resolve: unregister } = Promise.withResolvers<void>();
    media.carrier.register = (target, expiresSeconds) => {
      const reply = registerReplyOf(target, { expiresSeconds });
      return expiresSeconds === 0 ? unregistered.then(() => reply) : reply;
    };
    const trunk = await scene.addTrunk(registers);
    const isRegistered = async () =>
      expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' });
    await vi.waitFor(isRegistered, WAIT);
    await scene.change(trunk, { status: 'DISABLED' });
    await vi.waitFor(() => expect(namesOf(media, trunk).at(-1)).toBe('trunk:unregister'), WAIT);
    await scene.change(trunk, { status: 'ACTIVE' });
    // When a later trunk is pinged, the change has been read.
    const later = await scene.addTrunk();
    await vi.waitFor(() => expect(namesOf(media, later)).toEqual(['trunk:ping']), WAIT);
    expect(namesOf(media, trunk).at(-1)).toBe('trunk:unregister');
    unregister();
    const afterwards = () =>
      namesOf(media, trunk).slice(namesOf(media, trunk).indexOf('trunk:unregister') + 1);
    await vi.waitFor(() => expect(afterwards()).toContain('trunk:register'), WAIT);
    await vi.waitFor(isRegistered, WAIT);
  });

  test('rejected credentials fail with a code, and new ones are tried immediately', async ({
    scene,
    one: { media },
  }) => {
    media.carrier.register = (target, expiresSeconds) =>
      target.password === 'right'
        ? registerReplyOf(target, { expiresSeconds })
        : registerReplyOf(target, { status: 403, reason: 'Forbidden', digest: 'rejected' });
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(
      async () =>
        expect(await scene.registrationOf(trunk)).toMatchObject({
          state: 'FAILED',
          status: 403,
          code: 'registration_rejected',
          expiresAt: null,
        }),
      WAIT,
    );
    const passwordSealed = createSecretBox([MASTER_KEY]).seal('trunk-password', 'right');
    await scene.change(trunk, { passwordSealed });
    await vi.waitFor(
      async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
      WAIT,
    );
  });

  test('a carrier that fails is tried again, with the code registration_error meanwhile', async ({
    scene,
    one: { media },
  }) => {
    media.carrier.register = (target) => registerReplyOf(target, { status: 500, reason: 'Server Error' });
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(
      async () =>
        expect(await scene.registrationOf(trunk)).toMatchObject({
          state: 'FAILED',
          status: 500,
          code: 'registration_error',
        }),
      WAIT,
    );
  });

  test('a registration is lost when it expires without a response, and regained when the carrier responds', async ({
    scene,
    one: { media },
  }) => {
    media.carrier.register = (target) => registerReplyOf(target, { expiresSeconds: 4 });
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(
      async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
      WAIT,
    );
    media.carrier.register = (target) => ({
      ...registerReplyOf(target, { code: 'registration_no_response', error: 'None.' }),
      ...carrierReplyOf(target, { status: null, code: 'registration_no_response' }),
    });
    await vi.waitFor(
      async () =>
        expect(await scene.registrationOf(trunk)).toMatchObject({
          state: 'FAILED',
          code: 'registration_no_response',
        }),
      WAIT,
    );
    expect((await scene.stateOf(trunk))?.registeredAddress).toBeNull();
    media.carrier.register = (target, expiresSeconds) => registerReplyOf(target, { expiresSeconds });
    await vi.waitFor(
      async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
      WAIT,
    );
  });

  test('while no media node reaches its SIP server, nothing is stored', async ({ scene, one: { media } }) => {
    media.carrier.ping = () => 'sip down';
    media.carrier.register = () => 'sip down';
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(() => expect(namesOf(media, trunk)).toContain('trunk:ping'), WAIT);
    expect(await scene.pingOf(trunk)).toBeFalsy();
    media.carrier.ping = (target) => optionsReplyOf(target);
    media.carrier.register = (target, expiresSeconds) => registerReplyOf(target, { expiresSeconds });
    await vi.waitFor(
      async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
      WAIT,
    );
  });

  test('a registration moves to another media node when its own is gone', async ({
    scene,
    one: { node, media },
  }) => {
    const second = await scene.fixture.media([node]);
    try {
      const trunk = await scene.addTrunk(registers);
      await vi.waitFor(
        async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
        WAIT,
      );
      expect(namesOf(media, trunk)).toContain('trunk:register');
      expect(namesOf(second, trunk)).not.toContain('trunk:register');
      media.close();
      await vi.waitFor(() => expect(namesOf(second, trunk)).toContain('trunk:register'), WAIT);
      expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' });
    } finally {
      second.close();
    }
  });
});

describe.concurrent('with two nodes', () => {
  test('one watches the trunks; when its row is gone, the other continues the registration without an interruption', async ({
    scene,
  }) => {
    const { fixture } = scene;
    const first = await fixture.startNode();
    const media = await fixture.media([first]);
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(
      async () => expect(await scene.registrationOf(trunk)).toMatchObject({ state: 'REGISTERED' }),
      WAIT,
    );
    const holder = async () =>
      (await fixture.db.sweep.findUniqueOrThrow({ where: { name: 'trunks' } })).leaseNodeId;
    expect(await holder()).toBe(first.nodeId);
    const second = await fixture.startNode();
    const secondMedia = await fixture.media([second]);
    const states: (string | undefined)[] = [];
    const seen = setInterval(
      () => void scene.registrationOf(trunk).then((one) => states.push(one?.state)),
      20,
    );
    try {
      expect(namesOf(secondMedia, trunk)).toEqual([]);
      await first.stop();
      await vi.waitFor(() => expect(namesOf(secondMedia, trunk)).toContain('trunk:register'), WAIT);
      expect(await holder()).toBe(second.nodeId);
    } finally {
      clearInterval(seen);
    }
    expect(new Set(states)).toEqual(new Set(['REGISTERED']));
    expect(namesOf(media, trunk)).not.toContain('trunk:unregister');
    media.close();
    secondMedia.close();
    await second.stop();
  });

  test('a node without media gives the trunks up', async ({ scene }) => {
    const { fixture } = scene;
    const [first, second] = [await fixture.startNode(), await fixture.startNode()];
    const media = await fixture.media([first]);
    const trunk = await scene.addTrunk(registers);
    await vi.waitFor(() => expect(namesOf(media, trunk)).toContain('trunk:register'), WAIT);
    const other = await fixture.media([second]);
    media.close();
    await vi.waitFor(() => expect(namesOf(other, trunk)).toContain('trunk:register'), WAIT);
    other.close();
    await Promise.all([first.stop(), second.stop()]);
  });
});
