'use client';

import { cloneElement, useEffect, useState } from 'react';
import type { ButtonHTMLAttributes, ComponentType, ReactElement } from 'react';
import { Info } from 'lucide-react';
import type { MenuProps } from '../actions/Menu.tsx';
import type { DefinitionProps } from '../data/Definition.tsx';
import { Skeleton } from '../feedback/Skeleton.tsx';
import type { ConfirmDialogProps } from '../layout/ConfirmDialog.tsx';
import type { DialogProps, DrawerProps } from '../layout/Dialog.tsx';
import type { CommandMenuProps } from '../shell/CommandMenu.tsx';
import type { TenantSwitcherProps } from '../shell/TenantSwitcher.tsx';
import { onDemand, whenOpen } from './on-demand.tsx';

/** Overlays, loaded when first opened, because no page needs them to render. */

const isOpen = ({ open }: { open: boolean }) => open;

export const Dialog = whenOpen<DialogProps>(
  async () => (await import('../layout/Dialog.tsx')).Dialog,
  isOpen,
);
export const Drawer = whenOpen<DrawerProps>(
  async () => (await import('../layout/Dialog.tsx')).Drawer,
  isOpen,
);
export const ConfirmDialog = whenOpen<ConfirmDialogProps>(
  async () => (await import('../layout/ConfirmDialog.tsx')).ConfirmDialog,
  isOpen,
);

const loadMenu = async () => (await import('../actions/Menu.tsx')).Menu;

/** Its button is rendered with the page. If it is pressed before the menu is loaded, the menu opens once it is. */
export function Menu(props: MenuProps) {
  const [Loaded, setLoaded] = useState<ComponentType<MenuProps>>();
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    let isGone = false;
    loadMenu().then(
      (loaded) => !isGone && setLoaded(() => loaded),
      () => undefined,
    );
    return () => {
      isGone = true;
    };
    // Try again on a press: an earlier attempt to load it may have failed.
  }, [isPressed]);
  if (Loaded !== undefined) return <Loaded {...props} defaultOpen={isPressed} />;
  const press = () => setPressed(true);
  const button = props.trigger as ReactElement<ButtonHTMLAttributes<HTMLButtonElement>>;
  // On mousedown, because by mouseup the loaded menu has replaced this button.
  return cloneElement(button, { 'aria-haspopup': 'menu', onMouseDown: press, onClick: press });
}

export const TenantSwitcher = onDemand<TenantSwitcherProps>(
  async () => (await import('../shell/TenantSwitcher.tsx')).TenantSwitcher,
  () => <Skeleton className="h-11" />,
);

export const Definition = onDemand<DefinitionProps>(
  async () => (await import('../data/Definition.tsx')).Definition,
  ({ term, hideTerm = false }) => (
    <span className="inline-flex items-center gap-0.5">
      {!hideTerm && term}
      <span className="-my-1 grid size-6 shrink-0 place-items-center text-muted">
        <Info className="size-3.5" aria-hidden />
      </span>
    </span>
  ),
);

const loadPalette = async () => (await import('../shell/CommandMenu.tsx')).CommandMenu;
const Palette = whenOpen<CommandMenuProps>(loadPalette, isOpen);

/** Search for pages and actions. Ctrl+K or ⌘K opens it from anywhere. */
export function CommandMenu(props: CommandMenuProps) {
  const { open, onOpenChange } = props;
  // Users start typing as soon as it opens.
  useEffect(() => void loadPalette().catch(() => undefined), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      event.preventDefault();
      onOpenChange(!open);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [open, onOpenChange]);
  return <Palette {...props} />;
}
