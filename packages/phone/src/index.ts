/** The agent phone, connected to the service, for React pages. `element.tsx` wraps it in a custom element. */
export { ClarionPhone, type ClarionPhoneProps } from './ClarionPhone.tsx';
export { errorMessageOf, useAgent, type SignedIn } from './use-agent.ts';
export { usePhone, type PhoneOptions } from './use-phone.ts';
export { usePhoneEvents, type PhoneEvent } from './use-phone-events.ts';
