/** What one consumer's requests may refer to: refs and ids that exist, grown from the answers. */
export interface Pools {
  /** By path field: `queueRef`, `callId`. */
  readonly known: ReadonlyMap<string, string[]>;
  /** Those of the world's own, which is put back now and then: most requests should find something. */
  readonly lasting: ReadonlyMap<string, readonly string[]>;
  /** Not what the requests themselves need, such as the key they are sent with. */
  allows(name: string, value: string): boolean;
  add(name: string, value: string | number): void;
  /** Takes refs, ids and kids from an answer, whatever it is an answer to. */
  harvest(answer: unknown): void;
}

/** Enough for variety; a pool that grew on would be full of what was deleted since. */
const KEPT_PER_POOL = 24;

export function createPools(start: Record<string, (string | number)[]>, never: ReadonlySet<string>): Pools {
  const known = new Map<string, string[]>();
  const allows = (name: string, value: string) => !never.has(`${name}=${value}`);
  const add = (name: string, value: string | number) => {
    const text = String(value);
    if (!allows(name, text)) return;
    const pool = known.get(name) ?? [];
    known.set(name, pool);
    if (pool.includes(text)) return;
    pool.push(text);
    if (pool.length > KEPT_PER_POOL) pool.shift();
  };
  for (const [name, values] of Object.entries(start)) for (const value of values) add(name, value);
  const lasting = new Map(Object.entries(start).map(([name, values]) => [name, values.map(String)]));

  function harvestOne(noun: string, thing: Record<string, unknown>): void {
    for (const [key, value] of Object.entries(thing)) {
      if (typeof value !== 'string' && typeof value !== 'number') continue;
      if (key === 'id') {
        add(`${noun}Id`, value);
        // Paths say it shorter: `assetId` for an audioAsset.
        add(`${noun.replace(/^.*(?=[A-Z])/, '').toLowerCase()}Id`, value);
      } else if (key === 'ref') add(`${noun}Ref`, value);
      else if (/^(callId|eventId|kid|deviceId)$/.test(key)) add(key, value);
    }
  }

  return {
    known,
    lasting,
    allows,
    add,
    harvest(answer) {
      if (typeof answer !== 'object' || answer === null) return;
      for (const [key, value] of Object.entries(answer)) {
        const noun = key.replace(/s$/, '');
        for (const thing of Array.isArray(value) ? value.slice(0, 5) : [value]) {
          if (typeof thing === 'object' && thing !== null) harvestOne(noun, thing);
        }
      }
    },
  };
}
