/** The fields of a customer that the label needs. */
export interface NamedCustomer {
  name: string | null;
  /** Null: erased or not known yet. */
  address: string | null;
  addressWithheld: boolean;
}

/** Shown instead of a withheld number. */
export const WITHHELD_NUMBER = 'Withheld number';

/** Null: there is no number, not even a withheld one. */
export const customerNumber = ({ address, addressWithheld }: NamedCustomer): string | null => {
  if (addressWithheld) return WITHHELD_NUMBER;
  return address !== null && isWhatsAppUserId(address) ? `WhatsApp user ${address}` : address;
};

/** A WhatsApp customer who hides their number has a user ID, such as `US.1349`, which cannot be dialled on a keypad. */
export const isWhatsAppUserId = (address: string): boolean =>
  /^[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]+$/.test(address);

/** The name, otherwise the number, otherwise the fallback. */
export const customerLabel = (customer: NamedCustomer, otherwise: string): string =>
  customer.name ?? customerNumber(customer) ?? otherwise;
