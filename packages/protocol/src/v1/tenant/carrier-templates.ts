/** Templates with the settings of known carriers, from which a consumer can create trunks. */
import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { id } from '../fields/fields.ts';
import { carrierSettingsShape } from './carrier-settings.ts';

export const carrierTemplateResource = z
  .strictObject({
    id,
    name: z.string(),
    ...carrierSettingsShape,
    notes: z.string().nullable(),
  })
  .meta({ id: 'CarrierTemplate' });
export type CarrierTemplateResource = z.infer<typeof carrierTemplateResource>;

export const carrierTemplateEndpoints = {
  listCarrierTemplates: defineEndpoint({
    method: 'GET',
    path: '/v1/carrier-templates',
    summary: 'Lists templates for creating trunks, with the settings of known carriers.',
    answer: { status: 200, body: z.strictObject({ templates: z.array(carrierTemplateResource) }) },
    errors: ['forbidden'],
    role: 'view',
    oneTenantSession: false,
    example: {
      answer: {
        templates: [
          {
            id: 2,
            name: 'Carrier UK',
            host: 'sip.carrier.example',
            port: 5060,
            transport: 'UDP',
            inboundSourceCidrs: ['198.41.0.4'],
            numberRules: { country_code: '44', national_prefix: '0' },
            codecs: null,
            destinations: [],
            register: false,
            srtp: false,
            quirks: { calledPlus: true },
            notes: 'Ask them to allow your numbers as caller ID.',
          },
        ],
      },
    },
  }),
};
