/** Simulates a decoder that uses all memory. */
const held: object[] = [];
for (;;) held.push(Array.from({ length: 100_000 }, () => ({})));
