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
export const customerNumber = ({ address, addressWithheld }: NamedCustomer): string | null =>
  addressWithheld ? WITHHELD_NUMBER : address;

/** The name, otherwise the number, otherwise the fallback. */
export const customerLabel = (customer: NamedCustomer, otherwise: string): string =>
  customer.name ?? customerNumber(customer) ?? otherwise;
