import { describe, expect, it } from 'vitest';
import {
  InboundPlaces,
  MAX_CONNECTIONS_PER_ADDRESS,
  MAX_INBOUND_CONNECTIONS,
  MAX_STRANGER_CONNECTIONS,
} from './inbound-places.ts';

/** Takes places for different addresses until there is none left. */
function fill(places: InboundPlaces, prefix: string): (() => void)[] {
  const taken: (() => void)[] = [];
  for (;;) {
    const release = places.take(`${prefix}${taken.length}`);
    if (release === null) return taken;
    taken.push(release);
  }
}

describe('the places of inbound connections', () => {
  it('are shared: strangers leave the rest to known addresses', () => {
    const places = new InboundPlaces((address) => address.startsWith('known'));
    const strangers = fill(places, 'stranger');
    expect(strangers).toHaveLength(MAX_STRANGER_CONNECTIONS);
    const known = fill(places, 'known');
    expect(known).toHaveLength(MAX_INBOUND_CONNECTIONS - MAX_STRANGER_CONNECTIONS);
    strangers[0]?.();
    expect(fill(places, 'known')).toHaveLength(1);
    known[0]?.();
    expect(fill(places, 'stranger')).toHaveLength(1);
  });

  it('are limited per address', () => {
    const places = new InboundPlaces(() => true);
    for (let i = 1; i < MAX_CONNECTIONS_PER_ADDRESS; i++) places.take('192.0.2.1');
    const last = places.take('192.0.2.1');
    expect(places.take('192.0.2.1')).toBeNull();
    last?.();
    expect(places.take('192.0.2.1')).not.toBeNull();
  });

  it('of an address that becomes known are released as those of a stranger', () => {
    let known = false;
    const places = new InboundPlaces(() => known);
    const strangers = fill(places, 'a');
    known = true;
    for (const release of strangers) release();
    known = false;
    expect(fill(places, 'a')).toHaveLength(MAX_STRANGER_CONNECTIONS);
  });
});
