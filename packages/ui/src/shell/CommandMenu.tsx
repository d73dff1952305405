'use client';

import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../shared/class-names.ts';
import { usePortal } from '../shared/portal.tsx';
import { backdropClass, optionClass } from '../shared/surfaces.ts';

export interface CommandItem {
  id: string;
  label: string;
  hint?: string;
  icon?: ReactNode;
  onSelect(): void;
}

export interface CommandGroup {
  label: string;
  items: readonly CommandItem[];
}

export interface CommandMenuProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  groups: readonly CommandGroup[];
  /** Called with the typed text, to add results from a server. */
  onSearch?(text: string): void;
  placeholder?: string;
  className?: string;
}

/** The dialog of the command menu. on-demand/overlays.tsx opens it. */
export function CommandMenu({
  open,
  onOpenChange,
  groups,
  onSearch,
  placeholder = 'Search pages and commands',
  className,
}: CommandMenuProps) {
  const portal = usePortal();
  const items = groups
    .filter((group) => group.items.length > 0)
    .map((group) => ({ value: group.label, items: [...group.items] }));
  return (
    <Dialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Dialog.Portal {...portal}>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          aria-label="Search and commands"
          className={classNames(
            'cl-pop fixed top-[10dvh] left-1/2 z-50 flex max-h-[70dvh] w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-panel border border-line bg-surface text-ink shadow-card outline-hidden',
            className,
          )}
        >
          <Autocomplete.Root
            open
            inline
            items={items}
            autoHighlight="always"
            keepHighlight
            itemToStringValue={(item: CommandItem) => `${item.label} ${item.hint ?? ''}`}
            onValueChange={(text) => onSearch?.(text)}
          >
            <div className="flex items-center gap-3 border-b border-line px-4">
              <Search className="size-4.5 shrink-0 text-muted" aria-hidden />
              <Autocomplete.Input
                aria-label={placeholder}
                placeholder={placeholder}
                className="min-h-13 min-w-0 flex-1 bg-transparent text-[1rem] text-ink outline-hidden placeholder:text-muted"
              />
              <Dialog.Close className="cl-focus rounded-md border border-line px-1.5 py-0.5 text-xs text-muted">
                Esc<span className="sr-only"> closes</span>
              </Dialog.Close>
            </div>
            <div className="min-h-0 overflow-y-auto overscroll-contain p-1.5">
              <Autocomplete.Empty className="px-3 text-md text-muted not-empty:py-6">
                No results. Try a different search.
              </Autocomplete.Empty>
              <Autocomplete.List className="outline-hidden">
                {(group: { value: string; items: CommandItem[] }) => (
                  <Autocomplete.Group key={group.value} items={group.items} className="not-last:mb-2">
                    <Autocomplete.GroupLabel className="px-2.5 py-1.5 text-xs font-medium text-muted">
                      {group.value}
                    </Autocomplete.GroupLabel>
                    <Autocomplete.Collection>
                      {(item: CommandItem) => (
                        <Autocomplete.Item
                          key={item.id}
                          value={item}
                          className={optionClass}
                          onClick={() => {
                            onOpenChange(false);
                            item.onSelect();
                          }}
                        >
                          {item.icon !== undefined && (
                            <span className="shrink-0 text-muted [&_svg]:size-4">{item.icon}</span>
                          )}
                          <span className="min-w-0 flex-1 truncate">{item.label}</span>
                          {item.hint !== undefined && (
                            <span className="max-w-[45%] shrink-0 truncate text-sm text-muted">
                              {item.hint}
                            </span>
                          )}
                        </Autocomplete.Item>
                      )}
                    </Autocomplete.Collection>
                  </Autocomplete.Group>
                )}
              </Autocomplete.List>
            </div>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
