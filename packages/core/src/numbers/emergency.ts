/**
 * Emergency numbers, which this service does not carry (docs/requirements.md#trunks): national short codes for police, fire and ambulance,
 * by calling code. Pure.
 */
import { getCountries, getCountryCallingCode } from 'libphonenumber-js/max';

/** These reach emergency services from mobile phones in nearly every country (3GPP TS 22.101 section 10). */
const EVERYWHERE = ['112', '911'];

/** National short codes in addition to those. */
const BY_CALLING_CODE: Readonly<Record<string, readonly string[]>> = {
  '1': ['933'],
  '7': ['101', '102', '103', '104'],
  '20': ['122', '123', '180'],
  '27': ['10111', '10177'],
  '30': ['100', '108', '166', '199'],
  '31': ['113'],
  '32': ['100', '101'],
  '33': ['15', '17', '18', '114', '115', '119', '191', '196'],
  '34': ['061', '080', '085', '062', '091', '092'],
  '36': ['104', '105', '107'],
  '39': ['113', '115', '118'],
  '40': ['961'],
  '41': ['117', '118', '144', '1414'],
  '43': ['122', '133', '140', '144'],
  '44': ['999'],
  '45': ['114'],
  '47': ['110', '113'],
  '48': ['997', '998', '999'],
  '49': ['110'],
  '51': ['105', '106', '116'],
  '52': ['060', '065', '066', '068'],
  '53': ['104', '105', '106'],
  '54': ['100', '101', '107'],
  '55': ['190', '191', '192', '193', '194', '197', '198', '199'],
  '56': ['131', '132', '133'],
  '57': ['119', '123', '125', '132'],
  '60': ['994', '999'],
  '61': ['000', '106'],
  '62': ['110', '113', '118', '119'],
  '63': ['117'],
  '64': ['111'],
  '65': ['993', '995', '999'],
  '66': ['191', '199', '1669'],
  '81': ['110', '118', '119'],
  '82': ['113', '119'],
  '84': ['113', '114', '115'],
  '86': ['110', '119', '120', '122'],
  '90': ['110', '155', '156', '158', '177'],
  '91': ['100', '101', '102', '108'],
  '92': ['15', '16', '115', '1122'],
  '94': ['110', '118', '119'],
  '98': ['110', '115', '125'],
  '212': ['15', '19', '177'],
  '213': ['14', '17', '1021'],
  '216': ['190', '197', '198'],
  '234': ['199', '767'],
  '254': ['999'],
  '351': ['115', '117'],
  '353': ['999'],
  '358': ['10022'],
  '380': ['101', '102', '103', '104'],
  '385': ['192', '193', '194'],
  '420': ['150', '155', '156', '158'],
  '421': ['150', '155', '158', '159'],
  '852': ['992', '999'],
  '853': ['999'],
  '880': ['999'],
  '886': ['110', '119'],
  '961': ['112', '125', '140', '175'],
  '962': ['911'],
  '965': ['112'],
  '966': ['937', '996', '997', '998', '999'],
  '968': ['9999'],
  '971': ['997', '998', '999'],
  '972': ['100', '101', '102'],
  '973': ['999'],
  '974': ['999'],
  '977': ['100', '101', '102'],
};

const ANY_SHORT_CODE = new Set([...EVERYWHERE, ...Object.values(BY_CALLING_CODE).flat()]);
const CALLING_CODES = new Set<string>(getCountries().map((country) => getCountryCallingCode(country)));
const CALLING_CODE_MAX_DIGITS = 3;

/**
 * True if dialling these digits would reach an emergency service: a short code by itself, after `00` or `+`, or after the calling code of a
 * country that uses it.
 */
export function isEmergency(number: string): boolean {
  const digits = number.replaceAll(/\D/g, '').replace(/^00(?=\d)/, '');
  // 000 is used in Australia, so leading zeros are not always an international prefix.
  if (ANY_SHORT_CODE.has(digits) || ANY_SHORT_CODE.has(number.replaceAll(/\D/g, ''))) return true;
  for (let length = 1; length <= CALLING_CODE_MAX_DIGITS; length += 1) {
    const callingCode = digits.slice(0, length);
    if (!CALLING_CODES.has(callingCode)) continue;
    const national = digits.slice(length);
    return EVERYWHERE.includes(national) || (BY_CALLING_CODE[callingCode] ?? []).includes(national);
  }
  return false;
}
