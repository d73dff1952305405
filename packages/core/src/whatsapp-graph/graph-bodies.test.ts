import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  answerBody,
  connectBody,
  endBody,
  permissionQuery,
  permissionRequestBody,
  readCallingSettings,
  readConnected,
  readDone,
  readGraphError,
  readPermission,
  readPhoneNumber,
  readSent,
} from './graph-bodies.ts';

describe('requests', () => {
  test('a number is sent as digits, a user ID as a recipient', () => {
    expect(connectBody('+12185552828', 'v=0', 'x')).toEqual({
      messaging_product: 'whatsapp',
      to: '12185552828',
      action: 'connect',
      session: { sdp_type: 'offer', sdp: 'v=0' },
      biz_opaque_callback_data: 'x',
    });
    expect(connectBody('US.1349', 'v=0', 'x')).toMatchObject({ recipient: 'US.1349' });
    expect(connectBody('US.1349', 'v=0', 'x')).not.toHaveProperty('to');
    expect(permissionQuery('+12185552828')).toBe('user_wa_id=12185552828');
  });
  test('the actions of a call', () => {
    expect(answerBody('pre_accept', 'wacid.A', 'v=0')).toEqual({
      messaging_product: 'whatsapp',
      call_id: 'wacid.A',
      action: 'pre_accept',
      session: { sdp_type: 'answer', sdp: 'v=0' },
    });
    expect(endBody('reject', 'wacid.A')).toEqual({
      messaging_product: 'whatsapp',
      call_id: 'wacid.A',
      action: 'reject',
    });
    expect(permissionRequestBody('+1218', 'May we?')).toMatchObject({
      to: '1218',
      interactive: { type: 'call_permission_request', body: { text: 'May we?' } },
    });
  });
});

describe('responses', () => {
  test('of the actions', () => {
    expect(readConnected({ messaging_product: 'whatsapp', calls: [{ id: 'wacid.B' }] })).toBe('wacid.B');
    expect(readConnected({ call_id: 'wacid.B' })).toBeNull();
    expect(readDone({ success: true })).toBe(true);
    expect(readDone({ success: false })).toBeNull();
    expect(readSent({ messages: [{ id: 'wamid.x' }] })).toBe('wamid.x');
  });
  test('the record of a permission', () => {
    expect(
      readPermission({
        permission: { status: 'temporary', expiration_time: 1_753_186_982 },
        actions: [
          { action_name: 'start_call', can_perform_action: true, limits: [] },
          { action_name: 'send_call_permission_request', can_perform_action: false },
        ],
      }),
    ).toEqual({
      status: 'temporary',
      expiresAt: new Date(1_753_186_982_000),
      canCall: true,
      canRequest: false,
    });
    expect(readPermission({ permission: { status: 'no_permission' } })).toEqual({
      status: 'none',
      expiresAt: null,
      canCall: null,
      canRequest: null,
    });
  });
  test('the settings and the number', () => {
    expect(
      readCallingSettings({
        calling: { status: 'ENABLED', call_icon_visibility: 'DISABLE_ALL', sip: { status: 'DISABLED' } },
      }),
    ).toEqual({
      enabled: true,
      iconVisible: false,
      callbackPermission: null,
      sipEnabled: false,
      srtpKeyExchange: null,
    });
    expect(
      readPhoneNumber({ display_phone_number: '+1 317-555-1399', quality_rating: 'GREEN' }),
    ).toMatchObject({
      displayPhoneNumber: '+1 317-555-1399',
      qualityRating: 'GREEN',
      verifiedName: null,
    });
  });
  test('an error, complete or not', () => {
    expect(
      readGraphError({
        error: { message: 'No', type: 'OAuthException', code: 138_006, error_data: { details: 'why' } },
      }),
    ).toEqual({ code: 138_006, subcode: null, message: 'No', details: 'why' });
    expect(readGraphError('<html>')).toEqual({ code: null, subcode: null, message: '', details: null });
  });
  test('any JSON can be read', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: false, maxDepth: 4 }), (json) => {
        for (const read of [
          readConnected,
          readDone,
          readSent,
          readPermission,
          readCallingSettings,
          readPhoneNumber,
          readGraphError,
        ])
          read(json);
      }),
    );
  });
});
