'use client';

/** The drawer with a form in which pages create and edit resources. */
import { Button, ConfirmDialog, Drawer, Form } from '@clarion/ui';
import { useEffect, useState, type ReactNode } from 'react';
import { useSave } from './use-save.ts';

export interface EditDrawerProps {
  open: boolean;
  onClose(): void;
  title: ReactNode;
  description?: ReactNode;
  /** The form has unsaved changes: closing asks for confirmation. */
  dirty: boolean;
  /** May throw a RequestProblem. Closes the drawer when it resolves. */
  onSave(): Promise<unknown>;
  saveLabel: string;
  size?: 'sm' | 'md' | 'lg';
  /** Left of the buttons: the delete action. */
  aside?: ReactNode;
  /** Above the form, for example the current state. */
  above?: ReactNode;
  /** Dialog boxes that open on top. Rendered inside the drawer, so that a click in them does not count as outside. */
  dialogs?: ReactNode;
  children: ReactNode;
}

export function EditDrawer(props: EditDrawerProps) {
  const {
    open,
    onClose,
    title,
    description,
    dirty,
    onSave,
    saveLabel,
    size,
    aside,
    above,
    dialogs,
    children,
  } = props;
  const { formId, errors, busy, save, clear } = useSave();
  const [asking, setAsking] = useState(false);
  useLeaveGuard(open && dirty);
  const close = () => {
    clear();
    setAsking(false);
    onClose();
  };
  return (
    <Drawer
      open={open}
      onOpenChange={(next) => {
        if (next || busy) return;
        if (dirty) setAsking(true);
        else close();
      }}
      title={title}
      {...(description !== undefined && { description })}
      {...(size !== undefined && { size })}
      keepOpen={dirty}
      footer={
        <>
          {aside !== undefined && <span className="mr-auto flex gap-2">{aside}</span>}
          <Button tone="accent" type="submit" form={formId} busy={busy}>
            {saveLabel}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-6">
        {above}
        <Form
          id={formId}
          errors={errors}
          busy={busy}
          onSubmit={async () => {
            if (await save(onSave)) close();
          }}
        >
          {children}
        </Form>
      </div>
      {dialogs}
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        title="Leave without saving?"
        confirmLabel="Discard changes"
        cancelLabel="Keep editing"
        tone="negative"
        onConfirm={close}
      >
        What you entered here has not been saved and would be lost.
      </ConfirmDialog>
    </Drawer>
  );
}

/** The browser asks for confirmation before the page is left or reloaded. */
export function useLeaveGuard(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const guard = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', guard);
    return () => window.removeEventListener('beforeunload', guard);
  }, [active]);
}
