/** The ways one address may be stored, for filters that take a number with or without `+` or `00`. Pure. */
export function addressForms(address: string): string[] {
  const compact = address.replaceAll(/[\s().-]/g, '');
  const digits = /^(?:\+|00)?(\d+)$/.exec(compact)?.[1];
  return digits === undefined ? [address] : [...new Set([address, compact, digits, `+${digits}`])];
}
