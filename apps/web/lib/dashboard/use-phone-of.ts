'use client';

import { useCallback } from 'react';
import { request } from './request.ts';

export interface PhoneOf {
  /** An agent token for the phone in this page. */
  getToken(): Promise<string>;
  /** Creates an outbound call of the agent and returns its ID. */
  createCall(channelRef: string, number: string): Promise<number>;
}

/** What a phone in the dashboard needs to sign in as an agent. */
export function usePhoneOf(tenantRef: string, agentRef: string): PhoneOf {
  const getToken = useCallback(async () => {
    const { testToken } = await request('POST', '/v1/tenants/{tenantRef}/agents/{agentRef}/test-token', {
      path: { tenantRef, agentRef },
      body: {},
    });
    return testToken.token;
  }, [tenantRef, agentRef]);
  const createCall = useCallback(
    async (channelRef: string, number: string) => {
      const { call } = await request('POST', '/v1/tenants/{tenantRef}/calls', {
        path: { tenantRef },
        body: { channel_ref: channelRef, agent_ref: agentRef, customer: { address: number } },
      });
      return call.callId;
    },
    [tenantRef, agentRef],
  );
  return { getToken, createCall };
}
