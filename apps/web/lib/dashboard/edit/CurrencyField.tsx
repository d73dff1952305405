'use client';

import { ComboField } from '@clarion/ui';
import type { ReactNode } from 'react';
import { RequestProblem } from '../request.ts';

const names = new Intl.DisplayNames('en', { type: 'currency' });
const currencies = Intl.supportedValuesOf('currency').map((code) => ({
  value: code,
  label: `${code} – ${names.of(code) ?? code}`,
}));

interface CurrencyFieldProps {
  value: string;
  onValueChange(currency: string): void;
  hint?: ReactNode;
  disabled?: boolean;
}

export function CurrencyField({ value, onValueChange, hint, disabled = false }: CurrencyFieldProps) {
  return (
    <ComboField
      name="currency"
      label="Currency"
      {...(hint !== undefined && { hint })}
      choices={currencies}
      value={value}
      onValueChange={(currency) => onValueChange(currency ?? '')}
      emptyText="No such currency"
      disabled={disabled}
    />
  );
}

/** @throws RequestProblem for a cleared currency, which the API would replace by the default or by the one before */
export function chosenCurrency(currency: string): string {
  if (currency !== '') return currency;
  throw new RequestProblem('Choose a currency.', {
    status: 400,
    code: 'invalid_request',
    details: { field: 'currency' },
  });
}
