/** Tickets with which dashboard pages connect to the live board (socket.ts, namespace `/dashboard`). */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ref, required, timestamp } from '../fields/fields.ts';

export const createRealtimeTicketBody = z
  .object({ tenant_ref: required(ref) })
  .transform(({ tenant_ref }) => ({ tenantRef: tenant_ref }));

export const realtimeTicketEndpoints = {
  createRealtimeTicket: defineEndpoint({
    method: 'POST',
    path: '/v1/realtime-tickets',
    summary:
      'Issues a ticket with which a dashboard page watches one tenant (`watch` in the SDK). The ticket is valid for 60 seconds and only while the user is signed in. API keys are rejected, because a ticket represents a person.',
    body: createRealtimeTicketBody,
    answer: { status: 201, body: z.strictObject({ ticket: z.string(), expiresAt: timestamp }) },
    errors: ['forbidden', 'tenant_suspended'],
    role: 'view',
    oneTenantSession: true,
    neverReplayed: true,
    sessionOnly: true,
    example: {
      body: { tenant_ref: 'acme' },
      answer: {
        ticket: 'eyJzZXNzaW9uSWQiOjgxLCJ0ZW5hbnRJZCI6M30.r4hN4kQ2b0d8',
        expiresAt: '2026-01-05T09:01:00.000Z',
      },
    },
  }),
};
