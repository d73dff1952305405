import { TextField } from '@clarion/ui';

interface AmountFieldProps {
  currency: string;
  value: string;
  onValueChange(value: string): void;
  placeholder: string;
  hint?: string;
}

/** An amount in the currency of a billing account. */
export const AmountField = ({ currency, ...props }: AmountFieldProps) => (
  <TextField
    name="amount"
    label="Amount"
    inputMode="decimal"
    suffix={currency}
    required
    autoComplete="off"
    {...props}
  />
);
