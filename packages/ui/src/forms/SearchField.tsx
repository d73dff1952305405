'use client';

import { Search, X } from 'lucide-react';
import { classNames } from '../shared/class-names.ts';
import { controlClass } from '../shared/surfaces.ts';

export interface SearchFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  placeholder?: string;
  className?: string;
}

export function SearchField({ label, value, onChange, placeholder, className }: SearchFieldProps) {
  return (
    <div className={classNames('relative w-full sm:w-72', className)}>
      <Search
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-muted"
        aria-hidden
      />
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder ?? label}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && value !== '') {
            event.stopPropagation();
            onChange('');
          }
        }}
        className={classNames(
          controlClass,
          'appearance-none pr-9 pl-8.5 [&::-webkit-search-cancel-button]:hidden',
        )}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label="Clear"
          onClick={() => onChange('')}
          className="cl-focus absolute top-1/2 right-1 grid size-7 -translate-y-1/2 place-items-center rounded-md text-muted hover:bg-raised"
        >
          <X className="size-4" aria-hidden />
        </button>
      )}
    </div>
  );
}
