/** Stands in for a decoder that takes all the memory there is. */
const held: object[] = [];
for (;;) held.push(Array.from({ length: 100_000 }, () => ({})));
