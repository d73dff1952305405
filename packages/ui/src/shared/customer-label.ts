/** What a customer is called wherever one is shown. */
export interface NamedCustomer {
  name: string | null;
  /** Null: erased, or not known yet. */
  address: string | null;
  addressWithheld: boolean;
}

/** What is shown in place of a number that its caller withheld. */
export const WITHHELD_NUMBER = 'Withheld number';

/** Null: there is no number, not even a withheld one. */
export const customerNumber = ({ address, addressWithheld }: NamedCustomer): string | null =>
  addressWithheld ? WITHHELD_NUMBER : address;

/** The name, else the number, else what the place says of nobody. */
export const customerLabel = (customer: NamedCustomer, otherwise: string): string =>
  customer.name ?? customerNumber(customer) ?? otherwise;
