'use client';

import { Button, Form, Section, TextField } from '@clarion/ui';
import { useState } from 'react';
import { CustomerPermission } from '#lib/dashboard/whatsapp/CustomerPermission.tsx';

/** Finds out whether a customer allows calls from a WhatsApp line. */
export function PermissionLookup({ tenantRef, channelRef }: { tenantRef: string; channelRef: string }) {
  const [address, setAddress] = useState<string | null>(null);
  return (
    <Section
      title="Permission to call a customer"
      description="WhatsApp lets you call a customer only if they have allowed it."
    >
      <Form onSubmit={(values) => setAddress(String(values.get('customer')).trim() || null)}>
        <div className="flex flex-wrap items-end gap-2">
          <TextField
            name="customer"
            label="WhatsApp number or user ID"
            placeholder="+44 7700 900123"
            className="min-w-56 flex-1"
            required
          />
          <Button type="submit">Look up</Button>
        </div>
      </Form>
      {address !== null && (
        <CustomerPermission key={address} tenantRef={tenantRef} channelRef={channelRef} address={address} />
      )}
    </Section>
  );
}
