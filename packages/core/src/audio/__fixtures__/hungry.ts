/** Stands in for a decoder that takes all the memory there is. */
const held: object[] = [];
for (;;) held.push(new Array(100_000).fill({}));
