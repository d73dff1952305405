/** Stands in for a decoder that never ends. */
for (;;);
