/** The refs and IDs that one consumer's requests can refer to, collected from the responses. */
export interface Pools {
  /** By path field: `queueRef`, `callId`. */
  readonly known: ReadonlyMap<string, string[]>;
  /** Refs of the fixture, which is restored regularly: most requests should find their resources. */
  readonly lasting: ReadonlyMap<string, readonly string[]>;
  /** Excludes what the requests themselves need, such as their API key. */
  allows(name: string, value: string): boolean;
  add(name: string, value: string | number): void;
  /** Collects refs, IDs and kids from any response. */
  harvest(answer: unknown): void;
}

/** Enough for variety; a larger pool would mostly contain deleted resources. */
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
        // Paths use shorter names: `assetId` for an audioAsset.
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
