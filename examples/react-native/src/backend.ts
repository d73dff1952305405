/** Your backend, which knows the signed-in user: it signs agent tokens and registers push tokens with its API key. */
const BACKEND_URL = 'https://app.example.com';

/** `credentials` sends the session cookie of your app; use your own way of signing in. */
async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`${BACKEND_URL}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'include',
  });
  if (!response.ok) throw new Error(`The backend responded to ${path} with ${response.status}.`);
  return response;
}

/** `signAgentToken` of `@clarion/sdk/node`. */
export async function fetchToken(): Promise<string> {
  const { token } = (await (await post('/clarion/token', {})).json()) as { token: string };
  return token;
}

export interface PushToken {
  deviceId: string;
  platform: 'IOS' | 'ANDROID';
  provider: 'FCM' | 'APNS_VOIP';
  token: string;
}

/** `PUT /v1/tenants/{tenantRef}/agents/{agentRef}/push-tokens/{deviceId}`, for the agent of the signed-in user. */
export async function registerPushToken(token: PushToken): Promise<void> {
  await post('/clarion/push-tokens', token);
}

/** `DELETE` of the same path, which deletes all tokens of the device. */
export async function deletePushTokens(deviceId: string): Promise<void> {
  await post('/clarion/push-tokens/delete', { deviceId });
}
