'use client';

import { Combobox } from '@base-ui/react/combobox';
import { ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Avatar } from '../data/Avatar.tsx';
import type { Choice } from '../forms/ChoiceSelect.tsx';
import { ComboList } from '../forms/ComboList.tsx';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { controlClass, popupClass } from '../shared/surfaces.ts';

export interface TenantSwitcherProps {
  tenants: readonly Choice[];
  value: string | null;
  onChange(value: string): void;
  /** Called with the typed text. If set, `tenants` are the results and are not filtered here. */
  onSearch?(text: string): void;
  /** What tenants are called here. */
  label?: string;
  /** Links below the list: "All tenants", "Create". */
  footer?: ReactNode;
  placeholder?: string;
  className?: string;
}

export function TenantSwitcher({
  tenants,
  value,
  onChange,
  onSearch,
  label = 'Tenant',
  footer,
  placeholder = 'Choose a tenant',
  className,
}: TenantSwitcherProps) {
  const portal = usePortal();
  const chosen = tenants.find((tenant) => tenant.value === value) ?? null;
  const name = chosen?.label ?? value;
  return (
    <Combobox.Root
      items={tenants}
      value={chosen}
      isItemEqualToValue={(one: Choice, other: Choice) => one.value === other.value}
      onValueChange={(next: Choice | null) => {
        if (next !== null) onChange(next.value);
      }}
      {...(onSearch !== undefined && { filter: null, onInputValueChange: (text: string) => onSearch(text) })}
    >
      <Combobox.Trigger
        aria-label={`${label}: ${name ?? placeholder}`}
        className={classNames(
          'cl-focus flex min-h-11 w-full min-w-0 items-center gap-2.5 rounded-control border border-line bg-surface px-2.5 text-left text-md hover:bg-raised',
          className,
        )}
      >
        {name !== null && <Avatar name={name} size="sm" square />}
        <span
          className={classNames(
            'min-w-0 flex-1 truncate',
            name === null ? 'text-muted' : 'font-medium text-ink',
          )}
        >
          {name ?? placeholder}
        </span>
        <ChevronsUpDown className="size-4 shrink-0 text-muted" aria-hidden />
      </Combobox.Trigger>
      <Combobox.Portal {...portal}>
        <Combobox.Positioner className="z-60 outline-hidden" sideOffset={6} align="start">
          <Combobox.Popup
            aria-label={label}
            className={classNames(popupClass, 'w-72 max-w-(--available-width) min-w-(--anchor-width)')}
          >
            <div className="p-1">
              <Combobox.Input
                aria-label={`Find: ${label.toLowerCase()}`}
                placeholder="Search"
                className={controlClass}
              />
            </div>
            <ComboList
              before={(choice) => <Avatar name={choice.label} size="sm" square />}
              className="max-h-72 overflow-y-auto"
            />
            {footer !== undefined && <div className="mt-1 border-t border-line p-1 pt-2">{footer}</div>}
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
